import { crc32 } from '../../kernel/crc32.ts';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { checksumOf, type CheckedRange } from '../../tables/checksums.ts';
import { FileEnds, readFully, type ReadAt } from '../../tables/lines.ts';

/**
 * Bytes on disk are missing or differ from those stored: any result from them would be wrong. The message is for the
 * user who started the run.
 */
export class StoredBytesDamaged extends ReasonedError {
  override readonly name = 'StoredBytesDamaged';
}

/** The message about damage in a file or its bytes `[from, to)`, with what to do about it. */
export function describeDamage(path: string, { from, to }: { from: number; to: number }): Reason {
  return inputProblems.DAMAGED_BYTES.reason({ path, from, to });
}

/** The message about damage in the engine's own intermediate data of a run. */
export const damagedNotes = inputProblems.DAMAGED_NOTES.reason({});

/**
 * Returns a reader that verifies the range's CRC-32 before it returns any bytes: over the result if the first call
 * reads the whole range, otherwise by reading the range once beforehand. Throws StoredBytesDamaged with `damage`, also
 * when the bytes can't be read.
 */
export function readChecked(read: ReadAt, range: CheckedRange, damage: Reason): ReadAt {
  let isChecked = false;
  const check = (crc: number): void => {
    if (crc !== range.crc32) throw new StoredBytesDamaged(damage);
    isChecked = true;
  };
  return (target, position) =>
    orDamaged(damage, () => {
      if (position === range.from && target.length === range.to - range.from) {
        readFully(read, target, position);
        check(crc32(target));
        return target.length;
      }
      if (!isChecked) check(checksumOf(read, range.from, range.to));
      return read(target, position);
    });
}

/** The result of `work`; a file that is missing, too short or unreadable throws StoredBytesDamaged with `damage`. */
export function orDamaged<T>(damage: Reason, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isUnreadable(error)) throw new StoredBytesDamaged(damage, { cause: error });
    throw error;
  }
}

/** Whether a file is missing, too short or unreadable. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof FileEnds) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'EIO';
}
