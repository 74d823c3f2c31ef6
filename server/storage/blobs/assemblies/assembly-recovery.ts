import type { AssemblyParts } from './assembly-parts.ts';
import { besideName } from '../beside-names.ts';
import { chunkPlace } from './chunk-sources.ts';
import type { LiveAssembly, StoredChunk } from './live-assembly.ts';
import { keepCheckedChunks } from '../queries/assemblies.ts';

/**
 * Reads every received chunk and drops those whose bytes don't match, with their separate files: after a reboot or a failed sync,
 * chunks that were acknowledged may never have reached the disk.
 */
export async function checkChunks(parts: AssemblyParts, live: LiveAssembly, bootId: string): Promise<void> {
  const bad: number[] = [];
  for (const [chunkNo, chunk] of live.chunks) {
    if (!(await isIntact(parts, live, chunkNo, chunk))) bad.push(chunkNo);
  }
  await parts.db.write((tx) => keepCheckedChunks(tx, live.id, bad, bootId));
  const beside = bad.flatMap((chunkNo) => {
    const besideNo = live.chunks.get(chunkNo)?.besideNo ?? 0;
    return besideNo === 0 ? [] : [besideName(live.id, chunkNo, besideNo)];
  });
  for (const chunkNo of bad) forgetChunk(live, chunkNo);
  // The sweep at start may have run while rows still referred to these files.
  await parts.eraser.eraseNow({ files: [], beside });
}

/** Checks an assembly after a failed sync, once for all concurrent callers. */
export async function recheckAssembly(parts: AssemblyParts, live: LiveAssembly): Promise<void> {
  live.suspect = false;
  try {
    await parts.files.forget(live.id);
    await checkChunks(parts, live, parts.bootId);
  } catch (error) {
    live.suspect = true;
    throw error;
  }
}

/** Read past the page cache: after a failed sync it may still hold bytes that the disk never got. */
async function isIntact(
  parts: AssemblyParts,
  live: LiveAssembly,
  chunkNo: number,
  chunk: StoredChunk,
): Promise<boolean> {
  if (chunk.sizeBytes === 0) return true;
  const { hasher } = parts;
  const { path, offset } = chunkPlace(parts, live, chunkNo, chunk);
  const checksums = await hasher.hashFile(path, offset, chunk.sizeBytes);
  return checksums?.crc32 === chunk.crc32;
}

function forgetChunk(live: LiveAssembly, chunkNo: number): void {
  const chunk = live.chunks.get(chunkNo);
  if (chunk === undefined) return;
  live.chunks.delete(chunkNo);
  live.beside.delete(chunkNo);
  live.receivedBytes -= chunk.sizeBytes;
  live.firstMissing = Math.min(live.firstMissing, chunkNo);
  live.hash?.ordered.drop();
  live.hash = undefined;
}
