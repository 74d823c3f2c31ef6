import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { AssemblyParts } from './assembly-parts.ts';
import { eraseRemains, sealAssembly } from './assembly-seal.ts';
import type { Assembly, ChunkWriter, StagedBlob } from '../blob-store.ts';
import { placeBesideChunks } from './chunk-placing.ts';
import { createChunkHost, once } from './chunk-host.ts';
import { createChunkWriter, type ChunkPlacement, type PlacedWriter } from './chunk-writer.ts';
import { asStorageError } from '../errors.ts';
import { recheckAssembly } from './assembly-recovery.ts';
import { placeOf, type LiveAssembly } from './live-assembly.ts';
import { findAssemblyRow, type SealedAssembly } from '../queries/assemblies.ts';

/** The public view of an assembly, over its in-memory state. */
export function createAssemblyView(parts: AssemblyParts, live: LiveAssembly): Assembly {
  const host = createChunkHost(parts, live);

  async function openChunk(chunkNo: number, expectedBytes?: number): Promise<ChunkWriter> {
    if (!Number.isInteger(chunkNo) || chunkNo < 1 || chunkNo > live.totalChunks) {
      throw invalid('chunkNo', parameterProblems.MUST_BE_BETWEEN.reason({ from: 1, to: live.totalChunks }));
    }
    await parts.health.ready();
    if (live.suspect) await recheckAssembly(parts, live);
    while (live.settling !== undefined) await live.settling;
    await live.sealing?.catch(() => {});
    if (live.dropped !== undefined) throw live.dropped;
    try {
      const placed = live.chunks.has(chunkNo)
        ? createChunkWriter({ host, chunkNo, start: { comparison: await host.compareWithStored(chunkNo) } })
        : await openNewChunk(chunkNo, expectedBytes);
      live.writers.add(placed);
      return placed.writer;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async function openNewChunk(chunkNo: number, expectedBytes: number | undefined): Promise<PlacedWriter> {
    if (!claimPlace(live, chunkNo, expectedBytes)) {
      return createChunkWriter({ host, chunkNo, start: { target: await host.openBeside(chunkNo) } });
    }
    live.reserved.add(chunkNo);
    try {
      const { file, release } = await parts.files.acquire(live.id);
      // While the file was being opened, the size of a received chunk may have changed this chunk's place.
      while (live.settling !== undefined) await live.settling;
      const position = placeOf(live, chunkNo);
      if (position === undefined || live.dropped !== undefined || live.chunks.has(chunkNo)) {
        await release();
        if (live.dropped !== undefined) throw live.dropped;
        return createChunkWriter({ host, chunkNo, start: { target: await host.openBeside(chunkNo) } });
      }
      const target: ChunkPlacement = { file, position, besideNo: 0, keep: once(release), discard: once(release) };
      const placed = createChunkWriter({ host, chunkNo, start: { target } });
      live.holders.set(chunkNo, placed);
      return placed;
    } finally {
      live.reserved.delete(chunkNo);
    }
  }

  async function seal(): Promise<StagedBlob> {
    await parts.health.ready();
    if (live.suspect) await recheckAssembly(parts, live);
    if (live.dropped !== undefined) throw live.dropped;
    if (live.sealed === undefined) {
      live.sealing ??= sealOnce().finally(() => {
        live.sealing = undefined;
      });
      await live.sealing;
    }
    return stageSealed(parts, live);
  }

  async function sealOnce(): Promise<SealedAssembly> {
    // All chunks are received: a remaining writer can only repeat one.
    while (live.settling !== undefined) await live.settling;
    await placeBesideChunks(parts, live);
    for (const holder of live.holders.values()) await holder.giveWay().catch(() => {});
    try {
      const sealed = await sealAssembly(parts, live);
      live.sealed = sealed;
      await eraseRemains(parts, live, sealed).catch((error: unknown) =>
        parts.logger.warn({ err: error, assemblyId: live.id }, 'Remains of an upload could not be erased yet'),
      );
      return sealed;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  return {
    id: live.id,
    totalChunks: live.totalChunks,
    get chunkSizeBytes() {
      return live.chunkSizeBytes;
    },
    get receivedChunks() {
      return live.chunks.size;
    },
    get receivedBytes() {
      return live.receivedBytes;
    },
    missingChunks(limit) {
      const missing: number[] = [];
      for (let number = live.firstMissing; number <= live.totalChunks && missing.length < limit; number++) {
        if (!live.chunks.has(number)) missing.push(number);
      }
      return missing;
    },
    openChunk,
    seal,
  };
}

/** Whether the chunk may be written straight to its place; otherwise it goes to a separate file. */
function claimPlace(live: LiveAssembly, chunkNo: number, expectedBytes: number | undefined): boolean {
  if (live.holders.has(chunkNo) || live.reserved.has(chunkNo)) return false;
  const isLast = chunkNo === live.totalChunks;
  if (live.chunkSizeBytes !== null) return isLast || live.chunkSizeBytes > 0;
  if (isLast) return chunkNo === 1;
  if (expectedBytes !== undefined && expectedBytes > 0) {
    const first = live.holders.get(1);
    if (live.assumedSizeBytes === null && (first === undefined || first.acceptedBytes() <= expectedBytes)) {
      live.assumedSizeBytes = expectedBytes;
    }
    if (live.assumedSizeBytes === expectedBytes) return true;
  }
  return chunkNo === 1;
}

/** The staged blob of a sealed assembly, at its current place. */
export async function stageSealed(
  parts: Pick<AssemblyParts, 'db' | 'staged'>,
  live: Pick<LiveAssembly, 'id' | 'sealed' | 'dropped'>,
): Promise<StagedBlob> {
  const row = await findAssemblyRow(parts.db.read, live.id);
  const { sealed } = live;
  if (row?.sealed_kind === undefined || row.sealed_kind === null || sealed === undefined) {
    throw live.dropped ?? new Error(`Assembly ${live.id} was dropped`);
  }
  const objectId = row.sealed_object_id ?? '';
  const offset = row.sealed_object_offset ?? 0;
  live.sealed = { ...sealed, sealed_object_id: objectId, sealed_object_offset: offset };
  parts.staged.add(live.id, objectId, true);
  return {
    id: live.id,
    sizeBytes: sealed.sealed_size_bytes,
    crc32: sealed.sealed_crc32,
    sha256: sealed.sealed_sha256,
    place:
      row.sealed_kind === 'empty'
        ? { kind: 'empty' }
        : row.sealed_kind === 'file'
          ? { kind: 'file', objectId }
          : { kind: 'pack', objectId, offset },
  };
}
