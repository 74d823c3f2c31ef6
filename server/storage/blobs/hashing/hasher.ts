import { createAskedThread, type AskedThread, type RunningThread } from '../../../processes/thread-calls.ts';
import type { OrderedHash } from '../ordered-hash.ts';
import type { HashAnswer, HashRequest } from './hash-thread.ts';

export type FileChecksums = { sha256: string; crc32: number };

export type Hasher = {
  startOrdered(): OrderedHash;
  /** Hashes a byte range of a file; undefined when the file is missing or too short. */
  hashFile(path: string, offset: number, sizeBytes: number): Promise<FileChecksums | undefined>;
  close(): Promise<void>;
};

/** Maximum bytes waiting for the thread, over all hashes: less than half of the shared buffers. */
const maxBehindBytes = 10 * 1024 * 1024;

/** One thread for arriving bytes and one for bytes read back, both at low priority; each starts on first use. */
export function createHasher(memory: SharedArrayBuffer): Hasher {
  let nextId = 1;
  const threadOf = (name: string): AskedThread<HashRequest, HashAnswer> =>
    createAskedThread({ module: new URL('./hash-thread.ts', import.meta.url), name, workerData: { memory } });
  const feeding = threadOf('sha256-arriving');
  const reading = threadOf('sha256-stored');
  let behindBytes = 0;
  return {
    startOrdered() {
      const id = nextId++;
      /** The thread that received the first bytes: a later one could only hash the rest. */
      let thread: RunningThread<HashRequest, HashAnswer> | undefined;
      let isGivenUp = feeding.isClosed;

      function send(request: HashRequest): void {
        if (!isGivenUp) (thread ??= feeding.current()).tell(request);
      }

      function drop(): void {
        if (!isGivenUp) thread?.tell({ kind: 'drop', id });
        isGivenUp = true;
      }

      /** Undefined when the thread died: a failure to hash never fails an upload. */
      async function ask(request: HashRequest): Promise<HashAnswer | undefined> {
        try {
          return await (thread ??= feeding.current()).ask(request);
        } catch {
          drop();
          return undefined;
        }
      }

      /** Undefined when the request was not sent. */
      function feed(request: HashRequest, length: number): Promise<void> | undefined {
        if (!isGivenUp && behindBytes + length > maxBehindBytes) drop();
        if (isGivenUp) return undefined;
        behindBytes += length;
        return ask(request).then(() => {
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
          return (await ask({ kind: 'digest', id }))?.sha256 ?? null;
        },
        drop,
      };
    },
    async hashFile(path, offset, sizeBytes) {
      const answer = await reading.ask({ kind: 'file', path, offset, sizeBytes }).catch(() => undefined);
      if (answer?.sha256 === undefined || answer.crc32 === undefined) return undefined;
      return { sha256: answer.sha256, crc32: answer.crc32 };
    },
    async close() {
      await Promise.all([feeding.close(), reading.close()]);
    },
  };
}
