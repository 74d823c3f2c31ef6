/** One thing that happened. `id` is what a listener names when it comes back, to hear only what it missed. */
export type FeedEvent = {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
};

/** Who hears events. */
export type FeedListener = {
  /** Gives a promise when it is behind: wait for it before sending what can wait. */
  send(event: FeedEvent): Promise<void> | undefined;
  /** Nothing more will come. */
  end(): void;
};

/** Starts to tell a listener what happens; the answer ends that. */
export type EventFeed = (listener: FeedListener) => () => void;
