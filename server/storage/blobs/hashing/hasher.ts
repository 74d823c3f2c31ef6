import { Worker } from 'node:worker_threads';
import { builtModule } from '../../../kernel/built-modules.ts';
import type { HashReply, HashRequest } from './hash-thread.ts';

/**
 * SHA-256 of bytes fed from front to back, computed in a low-priority thread. If the thread falls too far behind, the hash is
 * given up so that no caller waits; the content is read again later.
 */
export type OrderedHash = {
  /** `bytes` must own their memory. */
  feedCopy(bytes: Uint8Array): void;
  /** Bytes in the shared buffers; they may be reused when the promise resolves, or at once when there is none. */
  feedShared(offset: number, length: number): Promise<void> | undefined;
  /** Saves the state for `rewind`. */
  mark(): void;
  /** Restores the state of the last mark. */
  rewind(): void;
  /** Lower-case hex; null when the hash was given up or the thread died. Ends the hash. */
  digest(): Promise<string | null>;
  drop(): void;
};

export type FileChecksums = { sha256: string; crc32: number };

export type Hasher = {
  startOrdered(): OrderedHash;
  /** Hashes a byte range of a file; undefined when the file is missing or too short. */
  hashFile(path: string, offset: number, sizeBytes: number): Promise<FileChecksums | undefined>;
  close(): Promise<void>;
};

/** Bytes that may wait for the thread, over all hashes: less than half of the shared buffers. */
const maxBehindBytes = 10 * 1024 * 1024;

/** One thread for arriving bytes and one for bytes read back, both at low priority; each starts on first use. */
export function createHasher(memory: SharedArrayBuffer): Hasher {
  let nextId = 1;
  const feeding = createHashThread({ memory, name: 'sha256-arriving' });
  const reading = createHashThread({ memory, name: 'sha256-stored' });
  let behindBytes = 0;
  return {
    startOrdered() {
      const id = nextId++;
      let isGivenUp = false;

      function send(request: HashRequest): void {
        if (!isGivenUp) feeding.send(request);
      }

      function drop(): void {
        send({ kind: 'drop', id });
        isGivenUp = true;
      }

      /** Undefined when the request was not sent. */
      function feed(request: HashRequest, length: number): Promise<void> | undefined {
        if (!isGivenUp && behindBytes + length > maxBehindBytes) drop();
        if (isGivenUp) return undefined;
        behindBytes += length;
        return feeding.ask(request).then(() => {
          behindBytes -= length;
        });
      }

      return {
        feedCopy(bytes) {
          void feed({ kind: 'copy', id, bytes }, bytes.length);
        },
        feedShared: (offset, length) => feed({ kind: 'shared', id, offset, length }, length),
        mark: () => send({ kind: 'mark', id }),
        rewind: () => send({ kind: 'rewind', id }),
        async digest() {
          if (isGivenUp) return null;
          return (await feeding.ask({ kind: 'digest', id }))?.sha256 ?? null;
        },
        drop,
      };
    },
    async hashFile(path, offset, sizeBytes) {
      const reply = await reading.ask({ kind: 'file', path, offset, sizeBytes });
      if (reply?.sha256 === undefined || reply.crc32 === undefined) return undefined;
      return { sha256: reply.sha256, crc32: reply.crc32 };
    },
    async close() {
      await Promise.all([feeding.close(), reading.close()]);
    },
  };
}

type HashThread = {
  send(request: HashRequest): void;
  /** Undefined when the thread died: a failure to hash never fails an upload. */
  ask(request: HashRequest): Promise<HashReply | undefined>;
  close(): Promise<void>;
};

function createHashThread({ memory, name }: { memory: SharedArrayBuffer; name: string }): HashThread {
  let worker: Worker | undefined;
  const waiting = new Map<number, (reply: HashReply | undefined) => void>();
  let nextTicket = 1;
  let closed = false;

  function start(): Worker {
    const started = new Worker(builtModule(new URL('./hash-thread.ts', import.meta.url)), {
      workerData: { memory },
      name,
    });
    started.unref();
    started.on('message', (reply: HashReply) => {
      waiting.get(reply.ticket)?.(reply);
      waiting.delete(reply.ticket);
      if (waiting.size === 0) started.unref();
    });
    const end = (): void => {
      if (worker === started) worker = undefined;
      for (const answer of waiting.values()) answer(undefined);
      waiting.clear();
    };
    started.on('error', end);
    started.on('exit', end);
    return started;
  }

  return {
    send(request) {
      if (closed) return;
      worker ??= start();
      worker.postMessage({ ticket: 0, request });
    },
    ask(request) {
      if (closed) return Promise.resolve(undefined);
      worker ??= start();
      const thread = worker;
      return new Promise((resolve) => {
        const ticket = nextTicket++;
        waiting.set(ticket, resolve);
        thread.ref();
        thread.postMessage({ ticket, request });
      });
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}
