import { causesOfDelay } from '../kernel/sentences/index.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../kernel/errors.ts';
import type { EventFeed, FeedEvent } from '../kernel/event-feed.ts';
import { readCredential, type Authenticator, type Credential } from './credentials.ts';

export type EventStreamOptions = {
  authenticator: Pick<Authenticator, 'recall' | 'verify'>;
  /** The body of the answer to a failed request; failures of the service are logged. */
  errorBody: (error: unknown, request: FastifyRequest) => string;
  /** Interval of comment lines on an idle stream, so that no proxy closes it. */
  heartbeatMs?: number;
  /** Interval at which the credentials of open streams are verified again. */
  recheckMs?: number;
  /** Maximum number of open streams, per credential and in total. */
  maxPerCredential?: number;
  maxStreams?: number;
};

/** Server-sent events (WHATWG HTML, section 9.2) over the feeds of the areas. */
export type EventStreams = {
  /**
   * Answers a request with the events of a feed until the feed ends, the client disconnects, its credential expires or the service
   * shuts down; without a feed, with 204, which stops browsers from reconnecting. Throws UNAVAILABLE if too many streams are open.
   */
  open(request: FastifyRequest, reply: FastifyReply, feed: EventFeed | undefined): FastifyReply;
  /** Ends all streams, when the service shuts down. */
  close(): void;
  /** Number of open streams. */
  readonly size: number;
};

declare module 'fastify' {
  interface FastifyInstance {
    readonly eventStreams: EventStreams;
  }
}

type Stream = { credential: Credential; credentialId: string; beat(): void; end(): void };

/** Milliseconds before a browser reconnects after a broken stream. */
const retryMs = 2_000;

/** A client with this many unread bytes is disconnected; it reconnects and receives what it missed. */
const maxUnreadBytes = 4 << 20;

const heartbeat = Buffer.from(':\n\n');

export function createEventStreams(options: EventStreamOptions): EventStreams {
  const {
    authenticator,
    errorBody,
    heartbeatMs = 15_000,
    recheckMs = 3_000,
    maxPerCredential = 250,
    maxStreams = 2_000,
  } = options;
  const streams = new Set<Stream>();
  let timers: NodeJS.Timeout[] = [];
  let isClosed = false;

  function add(stream: Stream): void {
    streams.add(stream);
    if (timers.length > 0) return;
    timers = [
      setInterval(() => {
        for (const { beat } of streams) beat();
      }, heartbeatMs),
      setInterval(() => void recheck(), recheckMs),
    ];
    for (const timer of timers) timer.unref();
  }

  function remove(stream: Stream): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    for (const timer of timers.splice(0)) clearInterval(timer);
  }

  /** Streams of one credential share one verification. If it fails to run, the streams stay open. */
  async function recheck(): Promise<void> {
    const byId = Map.groupBy(streams, ({ credentialId }) => credentialId);
    for (const sharing of byId.values()) {
      const [first] = sharing;
      if (first === undefined || authenticator.recall(first.credential) !== undefined) continue;
      const verified = await authenticator.verify(first.credential).then(
        (principal) => principal !== undefined,
        () => true,
      );
      if (!verified) for (const { end } of sharing) end();
    }
  }

  function checkNumber(credentialId: string): void {
    let own = 0;
    for (const stream of streams) if (stream.credentialId === credentialId) own += 1;
    if (own >= maxPerCredential || streams.size >= maxStreams) {
      throw unavailable(causesOfDelay.MANY_STREAMS.reason({}), 5);
    }
  }

  return {
    open(request, reply, feed) {
      const credential = readCredential(request.raw.headers);
      if (credential === undefined) throw new Error('Event streams are for routes that need a credential');
      if (feed === undefined) return reply.code(204).send();
      const { credentialId } = request.principal;
      checkNumber(credentialId);

      reply.header('content-type', 'text/event-stream; charset=utf-8');
      reply.header('cache-control', 'no-store');
      reply.header('x-accel-buffering', 'no');
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, reply.getHeaders() as Record<string, string | number | string[]>);
      if (request.method === 'HEAD' || isClosed) {
        raw.end();
        return reply;
      }
      // Nagle's algorithm would delay small events; the first bytes tell the browser that the stream is open.
      raw.socket?.setNoDelay(true);
      raw.write(`retry: ${retryMs}\n\n`);

      let isOpen = true;
      let stop: (() => void) | undefined;
      let wroteSinceBeat = false;
      let draining: Promise<void> | undefined;
      const finish = (): void => {
        isOpen = false;
        remove(stream);
        stop?.();
      };
      const stream: Stream = {
        credential,
        credentialId,
        beat() {
          if (!wroteSinceBeat) raw.write(heartbeat);
          wroteSinceBeat = false;
        },
        end() {
          if (!isOpen) return;
          finish();
          raw.end();
        },
      };
      raw.on('error', () => raw.destroy());
      raw.once('close', finish);
      add(stream);
      stop = feed({
        send(event) {
          if (!isOpen) return undefined;
          wroteSinceBeat = true;
          if (raw.write(bytesOf(event))) return undefined;
          if (raw.writableLength > maxUnreadBytes) raw.destroy();
          draining ??= drained(raw).then(() => {
            draining = undefined;
          });
          return draining;
        },
        end: () => stream.end(),
        fail(error) {
          if (!isOpen) return;
          raw.write(bytesOf({ id: '', name: 'error', data: errorBody(error, request) }));
          stream.end();
        },
      });
      // The feed may have ended before it could be stopped.
      if (!isOpen) stop();
      return reply;
    },
    close() {
      isClosed = true;
      for (const { end } of streams) end();
    },
    get size() {
      return streams.size;
    },
  };
}

/** The id of the last event that a reconnecting client received. Browsers send it automatically. */
export function lastEventIdOf(request: FastifyRequest): string | undefined {
  const header = request.raw.headers['last-event-id'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}

const encoded = new WeakMap<FeedEvent, Buffer>();

/** The bytes of an event, made once for all listeners. JSON has no raw line breaks, so one `data` line is enough. */
function bytesOf(event: FeedEvent): Buffer {
  let bytes = encoded.get(event);
  if (bytes === undefined) {
    const id = event.id === '' ? '' : `id: ${event.id}\n`;
    bytes = Buffer.from(`event: ${event.name}\n${id}data: ${event.data}\n\n`);
    encoded.set(event, bytes);
  }
  return bytes;
}

function drained(raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.on('drain', done);
    raw.on('close', done);
  });
}
