import { crc32 } from '../../kernel/crc32.ts';
import { checksumOf, type CheckedRange } from '../../tables/checksums.ts';
import { FileEnds, readFully, type ReadAt } from '../../tables/lines.ts';

/**
 * Bytes on disk are missing or differ from those stored: any result from them would be wrong. The message is for the
 * user who started the run.
 */
export class StoredBytesDamaged extends Error {
  override readonly name = 'StoredBytesDamaged';
}

/** The message about damage in a file or its bytes `[from, to)`, with what to do about it. */
export function describeDamage(path: string, { from, to }: { from: number; to: number }): string {
  return `DAMAGED: ${path}: the stored bytes ${from} to ${to} are not those that were stored; restore them from a backup, or upload the file again`;
}

/** The message about damage in the engine's own intermediate data of a run. */
export const damagedNotes =
  'DAMAGED: what the run took down for its steps over the whole set is damaged on the disk; start a new run';

/**
 * Returns a reader that verifies the range's CRC-32 before it returns any bytes: over the result if the first call
 * reads the whole range, otherwise by reading the range once beforehand. Throws StoredBytesDamaged with `message`, also
 * when the bytes can't be read.
 */
export function readChecked(read: ReadAt, range: CheckedRange, message: string): ReadAt {
  let isChecked = false;
  const check = (crc: number): void => {
    if (crc !== range.crc32) throw new StoredBytesDamaged(message);
    isChecked = true;
  };
  return (target, position) =>
    orDamaged(message, () => {
      if (position === range.from && target.length === range.to - range.from) {
        readFully(read, target, position);
        check(crc32(target));
        return target.length;
      }
      if (!isChecked) check(checksumOf(read, range.from, range.to));
      return read(target, position);
    });
}

/** The result of `work`; a file that is missing, too short or unreadable throws StoredBytesDamaged with `message`. */
export function orDamaged<T>(message: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isUnreadable(error)) throw new StoredBytesDamaged(message, { cause: error });
    throw error;
  }
}

/** Whether a file is missing, too short or unreadable. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof FileEnds) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'EIO';
}
