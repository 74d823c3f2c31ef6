import type { Answer, FormQuestion, Question } from './checksum-worker.ts';

/** A form of small files, ready to send, and the files that could not be read. */
export type FileForm = {
  body: ArrayBuffer;
  contentType: string;
  unreadable: readonly { fileNo: number; message: string }[];
};

/** CRC-32 as eight hexadecimal digits, of a blob or of each file of a form; computed in a worker. */
export type Checksums = {
  crc32(blob: Blob): Promise<string>;
  toForm(files: FormQuestion['files']): Promise<FileForm>;
};

/** A chosen file that can no longer be read: changed, moved or deleted. */
export class UnreadableFileError extends Error {}

type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void };

export function createChecksums(): Checksums {
  let worker: Worker | undefined;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const start = (): Worker => {
    const started = new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' });
    started.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      const asker = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.kind === 'error') asker?.reject(new UnreadableFileError(data.message));
      else asker?.resolve(data);
    });
    started.addEventListener('error', ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message));
      waiting.clear();
      worker = undefined;
    });
    return started;
  };
  const ask = (make: (id: number) => Question): Promise<Answer> => {
    worker ??= start();
    lastId += 1;
    const id = lastId;
    worker.postMessage(make(id));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  return {
    async crc32(blob) {
      const answer = await ask((id) => ({ id, kind: 'blob', blob }));
      if (answer.kind !== 'hex') throw new Error('The worker answered something else');
      return answer.hex;
    },
    async toForm(files) {
      const answer = await ask((id) => ({ id, kind: 'form', files }));
      if (answer.kind !== 'form') throw new Error('The worker answered something else');
      return answer;
    },
  };
}
