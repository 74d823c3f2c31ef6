import { writeSync } from 'node:fs';
import { openBlobStore } from '../../server/storage/blobs/index.ts';
import { openDatabase } from '../../server/storage/database/database.ts';
import { patternBytes } from './blobs.ts';

/** Blobs acknowledged by the store; their bytes follow from the seed. */
export type JournalEntry =
  | { kind: 'assembly'; id: string; totalChunks: number; sizeBytes: number }
  | { kind: 'chunk'; id: string; chunkNo: number; seed: number; sizeBytes: number }
  | { kind: 'file'; id: string; parts: { seed: number; sizeBytes: number }[] };

/**
 * A process that writes to a store until it is killed, and reports acknowledgements on its standard output: run with
 * the database file, the store's folder and a seed for its bytes.
 */
async function main(databaseFile: string, directory: string, start: number): Promise<void> {
  const db = await openDatabase({ file: databaseFile });
  const store = await openBlobStore({ directory, db, packMaxBytes: 400_000, sweepDelayMs: 5, sweepIntervalMs: 20 });
  const tell = (entry: JournalEntry): void => {
    writeSync(1, `${JSON.stringify(entry)}\n`);
  };
  let seed = start * 1_000_000;

  async function writeSmallFiles(): Promise<void> {
    for (;;) {
      const own = seed++;
      const sizeBytes = own % 7 === 0 ? 1_300_000 : 3000 + (own % 1000);
      const writer = store.create();
      await writer.write(patternBytes(own, sizeBytes));
      const staged = await writer.finish();
      await store.flush();
      await db.write((tx) => store.adopt(tx, [staged]));
      await store.settle([staged]);
      if (own % 3 === 0) {
        await db.write((tx) => store.release(tx, [staged.id]));
      } else {
        tell({ kind: 'file', id: staged.id, parts: [{ seed: own, sizeBytes }] });
      }
    }
  }

  async function sendUploads(): Promise<void> {
    for (;;) {
      const first = seed;
      seed += 10;
      const totalChunks = 1 + (first % 5);
      const sizeBytes = first % 2 === 0 ? 700_000 : 9000;
      const assembly = await store.createAssembly({ totalChunks, chunkSizeBytes: null });
      tell({ kind: 'assembly', id: assembly.id, totalChunks, sizeBytes });
      const parts = Array.from({ length: totalChunks }, (_, index) => ({ seed: first + index, sizeBytes }));
      await Promise.all(
        Array.from({ length: totalChunks }, (_, index) => index + 1).map(async (chunkNo) => {
          const writer = await assembly.openChunk(chunkNo, chunkNo % 2 === 0 ? sizeBytes : undefined);
          await writer.write(patternBytes(first + chunkNo - 1, sizeBytes));
          await writer.finish();
          tell({ kind: 'chunk', id: assembly.id, chunkNo, seed: first + chunkNo - 1, sizeBytes });
        }),
      );
      const staged = await assembly.seal();
      await db.write((tx) => store.adopt(tx, [staged]));
      await store.settle([staged]);
      tell({ kind: 'file', id: staged.id, parts });
      if (first % 4 === 0) await store.dropAssemblies([assembly.id]);
    }
  }

  await Promise.all([writeSmallFiles(), writeSmallFiles(), sendUploads(), sendUploads()]);
}

if (import.meta.main) {
  const [databaseFile = '', directory = '', start = '0'] = process.argv.slice(2);
  await main(databaseFile, directory, Number(start));
}
