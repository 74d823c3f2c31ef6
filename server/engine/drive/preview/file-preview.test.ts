import assert from 'node:assert/strict';
import { test } from 'node:test';
import { previewFile } from './file-preview.ts';

test('a file that takes too long to read says so', async () => {
  const unused = (): never => assert.fail('a Parquet file is read by its columns');
  const sources = {
    blobs: { open: unused, localPath: unused },
    unpacker: { unpackHead: unused },
    documents: { read: unused },
    columns: {
      readRows: (_file: unknown, _maxBytes: number, signal: AbortSignal) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    },
    timeoutMs: 10,
  };
  const alive = setInterval(() => undefined, 1_000);
  try {
    const file = { fileId: 'f', path: 'wide.parquet', sizeBytes: 4, blobId: 'b' };
    const { text, problem } = await previewFile(sources, file, 100);
    assert.deepEqual([text, problem?.text], [null, 'reading it takes longer than 0.01 s']);
  } finally {
    clearInterval(alive);
  }
});
