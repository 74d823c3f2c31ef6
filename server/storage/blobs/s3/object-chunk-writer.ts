import { errors } from '../../../kernel/errors.ts';
import type { ChunkOutcome, ChunkWriter } from '../blob-store.ts';
import { compareWithChecksum } from '../assemblies/byte-comparison.ts';
import { besideName } from '../beside-names.ts';
import { asStorageError } from '../errors.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { insertChunkOnce, sumChunks } from '../queries/object-assemblies.ts';
import type { ChunkLane } from './chunk-lanes.ts';
import {
  addRecordedChunk,
  dropHash,
  rereadState,
  type ObjectAssemblyState,
  type ObjectParts,
} from './object-assembly-state.ts';

export const droppedError = (): Error => errors.NOT_FOUND({ what: 'The upload' });

/** Compares a repeated chunk with the one received before, by size and CRC-32, because parts can't be read. */
export function createChunkComparison(expected: { sizeBytes: number; crc32: number }): ChunkWriter {
  const comparison = compareWithChecksum(expected);
  let sizeBytes = 0;
  let crc = 0;
  return {
    get crc32() {
      return crc;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    write(bytes) {
      sizeBytes += bytes.length;
      crc = crc32(bytes, crc);
      return comparison.write(bytes);
    },
    finish: async () => comparison.outcome(),
    abort: async () => {},
  };
}

/** Writes one chunk of an assembly to its lane, and records it. */
export function createObjectChunkWriter(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunkNo: number,
  lane: ChunkLane,
): ChunkWriter {
  const { db, eraser } = parts;
  let failure: Error | undefined;
  let isEnded = false;
  let isFeeding = startFeeding();
  const handle = { kill: end };
  state.writers.add(handle);

  /** Hashes the chunk on arrival if it is the next one in order. */
  function startFeeding(): boolean {
    if (state.hash === undefined && chunkNo === 1 && state.chunks.size === 0)
      state.hash = { ordered: parts.hasher.startOrdered(), next: 1, isFeeding: false };
    const { hash } = state;
    if (hash === undefined || hash.next !== chunkNo || hash.isFeeding) return false;
    hash.isFeeding = true;
    hash.ordered.mark();
    return true;
  }

  function stopFeeding(isReceived: boolean): void {
    const { hash } = state;
    if (hash === undefined) return;
    if (!isFeeding) {
      if (isReceived) dropHash(state);
      return;
    }
    isFeeding = false;
    hash.isFeeding = false;
    if (isReceived) hash.next++;
    else hash.ordered.rewind();
  }

  async function end(cause: Error): Promise<void> {
    failure ??= cause;
    if (isEnded) return;
    isEnded = true;
    state.writers.delete(handle);
    stopFeeding(false);
    try {
      await lane.discard();
    } catch (problem) {
      parts.logger.warn({ err: problem, assemblyId: state.id }, 'Remains of a chunk could not be erased yet');
    }
  }

  /** Other processes receive chunks too, so the process that records the last one must notice that it was the last. */
  async function catchUp(): Promise<void> {
    const { chunks } = await sumChunks(db.read, state.id);
    if (chunks !== state.chunks.size) await rereadState(parts, state);
  }

  async function keep(): Promise<ChunkOutcome> {
    const { sizeBytes, crc32: crc } = lane;
    await lane.end();
    if (state.dropped !== undefined) throw state.dropped;
    const chunk = { sizeBytes, crc32: crc, besideNo: sizeBytes === 0 ? 0 : lane.besideNo };
    const row = { assembly_id: state.id, chunk_no: chunkNo, size_bytes: sizeBytes, crc32: crc, beside: chunk.besideNo };
    if (await db.write((tx) => insertChunkOnce(tx, row))) {
      addRecordedChunk(state, chunkNo, chunk);
      stopFeeding(true);
      await catchUp();
      return 'received';
    }
    stopFeeding(false);
    if (!(await rereadState(parts, state))) throw droppedError();
    if (lane.besideNo > 0) await eraser.eraseNow({ files: [], beside: [besideName(state.id, chunkNo, lane.besideNo)] });
    const known = state.chunks.get(chunkNo);
    return known?.sizeBytes === sizeBytes && known.crc32 === crc ? 'repeated' : 'conflict';
  }

  return {
    get crc32() {
      return lane.crc32;
    },
    get sizeBytes() {
      return lane.sizeBytes;
    },
    write(bytes) {
      if (failure !== undefined) return Promise.reject(failure);
      if (isFeeding) state.hash?.ordered.feedCopy(new Uint8Array(bytes));
      return lane.write(bytes)?.catch((error: unknown) => {
        failure ??= asStorageError(error);
        throw failure;
      });
    },
    async finish() {
      if (isEnded || failure !== undefined) throw failure ?? new Error('The chunk was ended before');
      try {
        const outcome = await keep();
        isEnded = true;
        state.writers.delete(handle);
        return outcome;
      } catch (error) {
        await end(asStorageError(error));
        throw state.dropped ?? asStorageError(error);
      }
    },
    abort: () => end(new Error('The chunk was aborted')),
  };
}
