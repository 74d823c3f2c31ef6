import type { AssemblyParts } from './assembly-parts.ts';
import { besideName } from '../beside-names.ts';
import { placeBesideChunks } from './chunk-placing.ts';
import { compareWithStoredChunk } from './chunk-sources.ts';
import type { ChunkHost, ChunkPlacement, PlacedWriter, WrittenChunk } from './chunk-writer.ts';
import { addChunk, capacityOf, placeOf, type LiveAssembly } from './live-assembly.ts';
import { createSequentialWriter, type SequentialWriter } from '../files/sequential-writer.ts';
import { openWritableFile } from '../files/writable-file.ts';

/** What chunk writers need from their assembly: places, claims, and the commit that makes a chunk received. */
export function createChunkHost(parts: AssemblyParts, live: LiveAssembly): ChunkHost {
  const { operations, folders, holds, lane, pool, hasher, journal, logger } = parts;

  async function openBeside(chunkNo: number): Promise<ChunkPlacement> {
    const besideNo = parts.nextBesideNo();
    const name = besideName(live.id, chunkNo, besideNo);
    const path = folders.besidePath(name);
    holds.hold(name);
    try {
      const file = await openWritableFile({ operations, path, lane });
      const close = once(async () => {
        await file.close();
        holds.release(name);
      });
      return {
        file,
        position: 0,
        besideNo,
        keep: close,
        discard: once(async () => {
          await file.close();
          await operations.unlink(path);
          holds.release(name);
        }),
      };
    } catch (error) {
      holds.release(name);
      throw error;
    }
  }

  /** Hashes the chunk on arrival if it is the next one in order. */
  function startWrite(target: ChunkPlacement, writer: PlacedWriter): SequentialWriter {
    const { chunkNo } = writer;
    if (live.hash === undefined && chunkNo === 1 && live.chunks.size === 0 && live.totalChunks > 0) {
      live.hash = { ordered: hasher.startOrdered(), next: 1, feeding: undefined };
    }
    const { hash } = live;
    const feeds = target.besideNo === 0 && hash !== undefined && hash.next === chunkNo && hash.feeding === undefined;
    if (feeds) {
      hash.feeding = writer;
      hash.ordered.mark();
    }
    return createSequentialWriter({
      file: target.file,
      position: target.position,
      pool,
      hash: feeds ? hash.ordered : undefined,
    });
  }

  function leavePlace(chunkNo: number, writer: PlacedWriter): void {
    if (live.holders.get(chunkNo) === writer) live.holders.delete(chunkNo);
    if (live.hash?.feeding !== writer) return;
    live.hash.ordered.rewind();
    live.hash.feeding = undefined;
  }

  /**
   * The first received chunk other than the last sets the chunk size; writers that assumed another size leave their places.
   */
  function learnChunkSize(sizeBytes: number, except: PlacedWriter): void {
    live.chunkSizeBytes = sizeBytes;
    const misplaced = [...live.holders.values()].filter((holder) => holder !== except && isMisplaced(live, holder));
    if (misplaced.length === 0) return;
    const settling = Promise.allSettled(misplaced.map((holder) => holder.moveBeside())).then(() => {
      if (live.settling === settling) live.settling = undefined;
    });
    live.settling = settling;
  }

  async function receive(
    chunkNo: number,
    written: WrittenChunk,
    writer: PlacedWriter,
  ): Promise<'received' | 'misplaced'> {
    const { sizeBytes, crc32, target } = written;
    const learns = live.chunkSizeBytes === null && chunkNo < live.totalChunks && sizeBytes > 0;
    if (learns) learnChunkSize(sizeBytes, writer);
    if (target.besideNo === 0 && sizeBytes > 0 && isMisplaced(live, writer)) return 'misplaced';
    const commit = journal.put({
      kind: 'received',
      row: { assembly_id: live.id, chunk_no: chunkNo, size_bytes: sizeBytes, crc32, beside: target.besideNo },
      learnt: live.chunkSizeBytes === null ? undefined : { id: live.id, chunk_size_bytes: live.chunkSizeBytes },
    });
    const claim = commit.then(
      () => {},
      () => {},
    );
    live.claims.set(chunkNo, claim);
    try {
      await commit;
      addChunk(live, chunkNo, { sizeBytes, crc32, besideNo: target.besideNo });
      keepHash(chunkNo, writer);
    } finally {
      live.claims.delete(chunkNo);
    }
    if (live.beside.size > 0 && live.chunkSizeBytes !== null) {
      placeBesideChunks(parts, live).catch((error: unknown) =>
        logger.warn({ err: error, assemblyId: live.id }, 'A chunk could not be put in place yet'),
      );
    }
    return 'received';
  }

  /** Hashing continues while chunks are received in order; otherwise the whole is read back and hashed later. */
  function keepHash(chunkNo: number, writer: PlacedWriter): void {
    const { hash } = live;
    if (hash === undefined) return;
    if (hash.feeding === writer && hash.next === chunkNo) {
      hash.next++;
      hash.feeding = undefined;
      return;
    }
    live.hash = undefined;
    hash.ordered.drop();
  }

  return {
    capacityOf: (chunkNo) => capacityOf(live, chunkNo),
    startWrite,
    openBeside,
    isReceived: (chunkNo) => live.chunks.has(chunkNo),
    compareWithStored: (chunkNo) => compareWithStoredChunk(parts, live, chunkNo),
    claimOf: (chunkNo) => live.claims.get(chunkNo),
    receive,
    leavePlace,
    ended: (writer) => live.writers.delete(writer),
  };
}

/** Whether a writer in the blob's file writes at the wrong place or has run beyond its place. */
function isMisplaced(live: LiveAssembly, holder: PlacedWriter): boolean {
  const target = holder.target();
  if (target === undefined || target.besideNo !== 0) return false;
  return target.position !== placeOf(live, holder.chunkNo) || holder.acceptedBytes() > capacityOf(live, holder.chunkNo);
}

/** Runs `work` at most once, however often it is called. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
