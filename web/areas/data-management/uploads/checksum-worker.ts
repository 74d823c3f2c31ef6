import { createCRC32 } from 'hash-wasm';
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

// One after the other: they share the hasher, and one core is enough for more than any disk reads.
self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  last = last.then(async () => {
    try {
      if (data.kind === 'form') await answerForm(data);
      else await answerBlob(data);
    } catch (error) {
      tell({ id: data.id, kind: 'error', message: messageOf(error) });
    }
  });
});

async function answerBlob({ id, blob }: { id: number; blob: Blob }): Promise<void> {
  tell({ id, kind: 'hex', hex: await hexOf(new Uint8Array(await blob.arrayBuffer())) });
}

async function answerForm({ id, files }: FormQuestion): Promise<void> {
  const read = await Promise.allSettled(files.map(({ blob }) => blob.arrayBuffer()));
  const readable: FormFile[] = [];
  const unreadable: { fileNo: number; message: string }[] = [];
  for (const [index, { fileNo, fileName }] of files.entries()) {
    const result = read[index];
    if (result?.status !== 'fulfilled') {
      unreadable.push({ fileNo, message: messageOf(result?.reason) });
      continue;
    }
    const bytes = new Uint8Array(result.value);
    readable.push({ fileNo, fileName, checkSumHex: await hexOf(bytes), bytes });
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
