import type { SetDrop, SetWrite, Signatures, WholeSet } from '../../operators/index.ts';
import { crc32 } from '../../storage/blobs/hashing/crc32.ts';
import { readFully, type ReadAt } from '../../tables/lines.ts';
import { openShardSignatures, type ShardSignatures } from './signatures.ts';
import { damagedNotes, orDamaged, StoredBytesDamaged } from '../samples/stored-bytes.ts';

/** The signatures of one shard for the reduction: `firstRow` is the number of its first row within its file, from 0. */
export type ReductionShard = { read: ReadAt; firstRow: number };

/** A sample that a set operator drops: its index among the shard's signatures, its score and the reason. */
type ShardDrop = [index: number, score: number, reason: string];

/** The same for one that it writes columns of. */
type ShardWrite = [index: number, columns: SetWrite['columns']];

export type ShardVerdict = ShardDrop | ShardWrite;

export function isWritten(verdict: ShardVerdict): verdict is ShardWrite {
  return verdict.length === 2;
}

/** `notes` are messages of the operator for the log of the run. */
export type Reduction = { count: number; dropped: number; notes: { message: string; level: 'INFO' | 'WARN' }[] };

const placeBytes = 8;
const gatherBytes = 1 << 20;
const gatheredLength = 1 << 16;

/**
 * Runs the reduction of an operator over the signatures of all shards, with those of `references` before them: these are
 * compared with, never dropped. `write` receives a file of JSON lines, one
 * `ShardVerdict` each, shard by shard; after them, as little-endian float64, the offset of each shard's first line with
 * the CRC-32 of its lines and offsets, then the end of the last line and the number of shards.
 */
export function reduceShards(
  whole: WholeSet,
  shards: readonly ReductionShard[],
  options: { references?: readonly ReductionShard[]; write: (bytes: Uint8Array) => void; beat: () => void },
): Reduction {
  const references = options.references ?? [];
  const all = [...references, ...shards];
  const opened = all.map(({ read }) => openShardSignatures(read));
  const { signatures, locate } = joinSignatures(opened, references.length, options.beat);
  const places = new Float64Array(2 * shards.length + 2);
  places[2 * shards.length + 1] = shards.length;
  let lines = '';
  let parts: Buffer[] = [];
  let waiting = 0;
  let written = 0;
  let shardNo = 0;
  let crc = 0;
  let dropped = 0;
  let last = -1;
  const writeParts = (): void => {
    if (waiting > 0) options.write(Buffer.concat(parts));
    parts = [];
    waiting = 0;
  };
  const flush = (): void => {
    if (lines === '') return;
    const bytes = Buffer.from(lines);
    parts.push(bytes);
    waiting += bytes.length;
    crc = crc32(bytes, crc);
    written += bytes.length;
    lines = '';
    if (waiting >= gatherBytes) writeParts();
  };
  const moveTo = (next: number): void => {
    if (next > shardNo) flush();
    for (; shardNo < next; shardNo += 1) {
      places[2 * shardNo + 1] = crcOfSlot({ slot: shardNo, start: places[2 * shardNo] ?? 0, end: written }, crc);
      places[2 * shardNo + 2] = written;
      crc = 0;
    }
  };
  const notes: Reduction['notes'] = [];
  const take = (sample: number, verdictAt: (index: number) => ShardVerdict): void => {
    if (sample <= last || sample >= signatures.count || sample < signatures.references) {
      throw new RangeError(`The operator judged sample ${sample} after sample ${last} of ${signatures.count}`);
    }
    last = sample;
    const at = locate(sample);
    moveTo(at.shard - references.length);
    lines += `${JSON.stringify(verdictAt(at.index))}\n`;
    if (lines.length >= gatheredLength) flush();
  };
  whole.reduce(
    signatures,
    (drop) => {
      dropped += 1;
      take(drop.index, (index) => [index, drop.score, reasonOf(drop)]);
    },
    (message, level) => {
      notes.push({ message, level: level ?? 'WARN' });
    },
    ({ index: sample, columns }) => {
      take(sample, (index) => [index, columns]);
    },
  );
  moveTo(shards.length);
  writeParts();
  options.write(new Uint8Array(places.buffer));
  return { count: signatures.count - signatures.references, dropped, notes };

  function reasonOf({ of, reason }: SetDrop): string {
    const { shard, index } = locate(of);
    const place = opened[shard]?.placeOf(index);
    if (place === undefined) throw new RangeError(`There is no sample ${of}`);
    const row = place.row === null ? '' : `, row ${place.row + (all[shard]?.firstRow ?? 0) + 1}`;
    return reason.replace('{sample}', () => `${place.path}${row}`);
  }
}

/** Concatenates the signatures of the shards into one list; the first ones are those of references. */
function joinSignatures(
  shards: readonly ShardSignatures[],
  references: number,
  beat: () => void,
): { signatures: Signatures; locate: (index: number) => { shard: number; index: number } } {
  const starts = [0];
  for (const { count } of shards) starts.push((starts.at(-1) ?? 0) + count);
  const count = starts.at(-1) ?? 0;

  function locate(index: number): { shard: number; index: number } {
    let low = 0;
    let high = shards.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return { shard: low, index: index - (starts[low] ?? 0) };
  }

  const signatures: Signatures = {
    count,
    references: starts[references] ?? 0,
    column(key) {
      const column = new Uint32Array(count);
      for (const [number, shard] of shards.entries()) {
        shard.readColumn(key, column, starts[number] ?? 0);
        beat();
      }
      return column;
    },
    read(index, target) {
      beat();
      const at = locate(index);
      shards[at.shard]?.readWords(at.index, target);
    },
  };
  return { signatures, locate };
}

/**
 * CRC-32 over the lines of a slot and their offsets: differs for lines of another slot and for other lines of this
 * slot.
 */
function crcOfSlot({ slot, start, end }: { slot: number; start: number; end: number }, crcOfLines: number): number {
  return crc32(new Uint8Array(new Float64Array([slot, start, end]).buffer), crcOfLines);
}

/**
 * The drops among the signatures of one shard, by their index; `slot` is the shard's position in the order of the
 * reduction. Throws StoredBytesDamaged.
 */
export function readShardDrops(read: ReadAt, sizeBytes: number, slot: number): Map<number, ShardVerdict> {
  const drops = new Map<number, ShardVerdict>();
  const bytes = orDamaged(damagedNotes, () => readSlot(read, sizeBytes, slot));
  for (const line of Buffer.from(bytes).toString('utf8').split('\n')) {
    if (line === '') continue;
    const drop = JSON.parse(line) as ShardVerdict;
    drops.set(drop[0], drop);
  }
  return drops;
}

function readSlot(read: ReadAt, sizeBytes: number, slot: number): Uint8Array {
  const [slots = 0] = readPlaces(read, sizeBytes - placeBytes, 1);
  const first = sizeBytes - 2 * (slots + 1 - slot) * placeBytes;
  if (!Number.isInteger(first) || slot >= slots || first < 0) throw new StoredBytesDamaged(damagedNotes);
  const [start = 0, crc = 0, end = 0] = readPlaces(read, first, 3);
  const isPlace = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= sizeBytes;
  if (!isPlace) throw new StoredBytesDamaged(damagedNotes);
  const bytes = new Uint8Array(end - start);
  readFully(read, bytes, start);
  if (crcOfSlot({ slot, start, end }, crc32(bytes)) !== crc) throw new StoredBytesDamaged(damagedNotes);
  return bytes;
}

function readPlaces(read: ReadAt, position: number, length: number): Float64Array {
  const places = new Float64Array(length);
  readFully(read, new Uint8Array(places.buffer), position);
  return places;
}
