import type { AssemblyParts } from './assembly-parts.ts';
import { besideName } from '../beside-names.ts';
import { forEachPiece } from './byte-comparison.ts';
import { openChunkSource } from './chunk-sources.ts';
import { isPlaceable, placeOf, type LiveAssembly } from './live-assembly.ts';
import { createSequentialWriter } from '../files/sequential-writer.ts';

/**
 * Moves chunks from their separate files to their places once these are known, one at a time. A chunk's row refers to the
 * separate file until the copy is complete, so a crash midway costs only the copy.
 */
export function placeBesideChunks(parts: AssemblyParts, live: LiveAssembly): Promise<void> {
  const turn = live.placing.then(() => placeAll(parts, live));
  live.placing = turn.catch(() => {});
  return turn;
}

async function placeAll(parts: AssemblyParts, live: LiveAssembly): Promise<void> {
  if (live.sealed !== undefined) return;
  for (const chunkNo of live.beside) {
    while (live.settling !== undefined) await live.settling;
    if (live.dropped !== undefined) return;
    if (isPlaceable(live, chunkNo)) await placeChunk(parts, live, chunkNo);
  }
}

async function placeChunk(parts: AssemblyParts, live: LiveAssembly, chunkNo: number): Promise<void> {
  const { files, pool, journal, openFiles, folders, operations } = parts;
  const chunk = live.chunks.get(chunkNo);
  const position = placeOf(live, chunkNo);
  if (chunk === undefined || position === undefined) return;
  // A client may still be writing there: from now on its bytes are only compared.
  await live.holders
    .get(chunkNo)
    ?.giveWay()
    .catch(() => {});
  const source = await openChunkSource(parts, live, chunkNo);
  if (source === undefined) return;
  try {
    const { file, release } = await files.acquire(live.id);
    try {
      const output = createSequentialWriter({ file, position, pool });
      try {
        await forEachPiece(source, (bytes) => output.write(bytes));
        await output.end();
      } catch (error) {
        await output.abandon();
        throw error;
      }
    } finally {
      await release();
    }
  } finally {
    await source.close();
  }
  await journal.put({ kind: 'placed', row: { assembly_id: live.id, chunk_no: chunkNo } });
  live.chunks.set(chunkNo, { ...chunk, besideNo: 0 });
  live.beside.delete(chunkNo);
  const path = folders.besidePath(besideName(live.id, chunkNo, chunk.besideNo));
  await openFiles.forget(path);
  await operations.unlink(path);
}
