import { crc32 } from '../../../kernel/crc32.ts';
import { readFully, type ReadAt } from '../../../tables/lines.ts';
import type { Reason, Sentence } from '../../../kernel/sentences/index.ts';
import type { SetWrite } from '../../../operators/index.ts';
import { damagedNotes, orDamaged, StoredBytesDamaged } from '../../orders/stored-bytes.ts';

/**
 * A sample that a set operator drops: its index among the shard's signatures, its score and the reason with its
 * sentence, which the verdicts of earlier releases lack.
 */
type ShardDrop = [index: number, score: number, reason: string, sentence?: Sentence | null];

/** The same for a sample whose columns it writes. */
type ShardWrite = [index: number, columns: SetWrite['columns']];

export type ShardVerdict = ShardDrop | ShardWrite;

export function isWritten(verdict: ShardVerdict): verdict is ShardWrite {
  return verdict.length === 2;
}

export function dropVerdict(index: number, score: number, { text, sentence }: Reason): ShardVerdict {
  return [index, score, text, sentence];
}

const placeBytes = 8;
const gatherBytes = 1 << 20;
const gatheredLength = 1 << 16;

/** Writes the verdicts of a set step, in the order of the input. */
export type VerdictWriter = {
  take(slot: number, verdict: ShardVerdict): void;
  finish(): void;
};

/**
 * `write` receives a file of JSON lines, one `ShardVerdict` each, shard by shard; after them, as little-endian float64, the
 * offset of each shard's first line with the CRC-32 of its lines and offsets, then the end of the last line and the number
 * of shards.
 */
export function createVerdictWriter(shards: number, write: (bytes: Uint8Array) => void): VerdictWriter {
  const places = new Float64Array(2 * shards + 2);
  places[2 * shards + 1] = shards;
  let lines = '';
  let parts: Buffer[] = [];
  let waiting = 0;
  let written = 0;
  let slot = 0;
  let crc = 0;
  const writeParts = (): void => {
    if (waiting > 0) write(Buffer.concat(parts));
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
    if (next > slot) flush();
    for (; slot < next; slot += 1) {
      places[2 * slot + 1] = crcOfSlot({ slot, start: places[2 * slot] ?? 0, end: written }, crc);
      places[2 * slot + 2] = written;
      crc = 0;
    }
  };
  return {
    take(next, verdict) {
      moveTo(next);
      lines += `${JSON.stringify(verdict)}\n`;
      if (lines.length >= gatheredLength) flush();
    },
    finish() {
      moveTo(shards);
      writeParts();
      write(new Uint8Array(places.buffer));
    },
  };
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
