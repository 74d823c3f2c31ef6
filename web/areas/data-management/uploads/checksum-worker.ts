import { createCRC32 } from 'hash-wasm';
import { readBlobs } from './blob-reading.ts';
import { formOfFiles, type FormFile } from './file-form.ts';

export type FormQuestion = {
  id: number;
  kind: 'form';
  files: readonly { fileNo: number; fileName: string; blob: Blob }[];
};
export type Question = { id: number; kind: 'blob'; blob: Blob } | FormQuestion;

export type Answer =
  | { id: number; kind: 'hex'; hex: string }
  | {
      id: number;
      kind: 'form';
      body: ArrayBuffer;
      contentType: string;
      unreadable: { fileNo: number; message: string }[];
    }
  | { id: number; kind: 'error'; message: string };

const hashing = createCRC32();
let last: Promise<unknown> = Promise.resolve();

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  // Reading small files is mostly waiting, so forms are read in parallel; of chunks, which may be large, only one is in
  // memory.
  if (data.kind === 'form') void answering(data.id, () => answerForm(data));
  else last = last.then(() => answering(data.id, () => answerBlob(data)));
});

async function answering(id: number, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    tell({ id, kind: 'error', message: messageOf(error) });
  }
}

async function answerBlob({ id, blob }: { id: number; blob: Blob }): Promise<void> {
  tell({ id, kind: 'hex', hex: await hexOf(new Uint8Array(await blob.arrayBuffer())) });
}

async function answerForm({ id, files }: FormQuestion): Promise<void> {
  const read = await readBlobs(files.map(({ blob }) => blob));
  const readable: FormFile[] = [];
  const unreadable: { fileNo: number; message: string }[] = [];
  for (const [index, { fileNo, fileName }] of files.entries()) {
    const bytes = read[index];
    if (bytes instanceof Uint8Array) readable.push({ fileNo, fileName, checkSumHex: await hexOf(bytes), bytes });
    else unreadable.push({ fileNo, message: messageOf(bytes) });
  }
  const form = formOfFiles(readable, `tilth-${crypto.randomUUID()}`);
  tell({ id, kind: 'form', ...form, unreadable }, [form.body]);
}

async function hexOf(bytes: Uint8Array): Promise<string> {
  const hasher = await hashing;
  hasher.init();
  hasher.update(bytes);
  return hasher.digest('hex');
}

function tell(answer: Answer, transfer: Transferable[] = []): void {
  self.postMessage(answer, { transfer });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
