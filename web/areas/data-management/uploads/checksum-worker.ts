import { createCRC32 } from 'hash-wasm';

type Question = { id: number; blob: Blob };
type Answer = { id: number; hex: string } | { id: number; error: string };

const crc32 = createCRC32();
let last: Promise<unknown> = Promise.resolve();

// One after the other: they share the hasher, and one core is enough for more than any disk reads.
self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  last = last.then(() => answer(data));
});

async function answer({ id, blob }: Question): Promise<void> {
  let message: Answer;
  try {
    const hasher = await crc32;
    hasher.init();
    hasher.update(new Uint8Array(await blob.arrayBuffer()));
    message = { id, hex: hasher.digest('hex') };
  } catch (error) {
    message = { id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(message);
}
