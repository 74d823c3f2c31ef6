import { isUtf8 } from 'node:buffer';
import type { BlobReader, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Run } from '../../../runs/index.ts';
import type { LedgerReader } from './ledger-reader.ts';

/** Bytes per read and write. */
const blockBytes = 1 << 20;
/** A multiple of three bytes is base64 without padding. */
const base64Bytes = 3 << 18;

/**
 * A run's failed samples as JSON Lines: `{sampleId, filePath, row, line, operatorId, reason, encoding, raw}`, byte for
 * byte, in bounded memory however long a sample is. `encoding` and `raw` are null if no bytes were set aside: the
 * sample was written to the output, was left out on purpose, or its bytes are damaged.
 */
export async function* failedLines(
  { ledgers, blobs }: { ledgers: Pick<LedgerReader, 'failed'>; blobs: Pick<BlobStore, 'open'> },
  run: Run,
): AsyncGenerator<Buffer> {
  for await (const { samples, setAside } of ledgers.failed(run)) {
    let rows: BlobReader | undefined;
    try {
      for (const sample of samples) {
        const { entry, aside, blobId, lengthBytes } = sample;
        const head = JSON.stringify(entry).slice(0, -1);
        if (aside === null || setAside === null) {
          yield Buffer.from(`${head},"encoding":null,"raw":null}\n`);
        } else if (aside === 'file') {
          const file = await blobs.open(blobId ?? '');
          try {
            yield* lineOf(head, file, 0, lengthBytes);
          } finally {
            await file.close();
          }
        } else {
          rows ??= await blobs.open(setAside.blobId ?? '');
          yield* lineOf(head, rows, aside, lengthBytes);
        }
      }
    } finally {
      await rows?.close();
    }
  }
}

async function* lineOf(head: string, reader: BlobReader, start: number, length: number): AsyncGenerator<Buffer> {
  if (length <= blockBytes) {
    const bytes = await readRange(reader, start, length);
    const isText = isUtf8(bytes);
    const raw = isText ? JSON.stringify(bytes.toString()) : `"${bytes.toString('base64')}"`;
    yield Buffer.from(`${head},"encoding":"${isText ? 'utf-8' : 'base64'}","raw":${raw}}\n`);
    return;
  }
  const isText = await isLongText(reader, start, length);
  yield Buffer.from(`${head},"encoding":"${isText ? 'utf-8' : 'base64'}","raw":"`);
  if (isText) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for await (const bytes of blocksOf(reader, start, length, blockBytes)) {
      yield Buffer.from(JSON.stringify(decoder.decode(bytes, { stream: true })).slice(1, -1));
    }
  } else {
    for await (const bytes of blocksOf(reader, start, length, base64Bytes)) yield Buffer.from(bytes.toString('base64'));
  }
  yield Buffer.from('"}\n');
}

async function isLongText(reader: BlobReader, start: number, length: number): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const bytes of blocksOf(reader, start, length, blockBytes)) decoder.decode(bytes, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function* blocksOf(reader: BlobReader, start: number, length: number, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += size) yield readRange(reader, start + at, Math.min(size, length - at));
}

async function readRange(reader: BlobReader, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const count = await reader.read(bytes.subarray(done), start + done);
    if (count === 0) throw new Error(`The bytes of a failed sample end at ${start + done}`);
    done += count;
  }
  return bytes;
}
