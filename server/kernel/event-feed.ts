/** One event. A listener that reconnects sends `id` to receive only what it missed. */
export type FeedEvent = {
  /** '' in a feed that can't be resumed. */
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
};

/** A receiver of events. */
export type FeedListener = {
  /** Returns a promise if the receiver is slow; await it before sending events that are not urgent. */
  send(event: FeedEvent): Promise<void> | undefined;
  /** No more events follow. */
  end(): void;
  /** Ends the stream with an `error` event, whose data is the body of an error response for this failure. */
  fail(error: unknown): void;
};

/** Subscribes a listener; call the returned function to unsubscribe. */
export type EventFeed = (listener: FeedListener) => () => void;
