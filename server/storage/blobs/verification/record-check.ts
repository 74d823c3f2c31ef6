import { readRecordHeader, recordHeaderBytes } from '../packs/pack-format.ts';
import type { RangeCheck, RangeProblem, StoredRange } from './range-check.ts';

/** `header`: the bytes of a record in a pack are right, but the preceding header, which only names them, is not. */
export type RecordProblem = RangeProblem | 'header';

/** Compares a record of a pack with its row: its bytes at `place`, and the preceding header. */
export async function checkRecord(
  ranges: RangeCheck,
  place: StoredRange,
  crc32: number,
): Promise<RecordProblem | undefined> {
  const hasRoom = place.offset >= recordHeaderBytes;
  const bytes = hasRoom ? await ranges.read({ path: place.path, ...headerOf(place) }) : undefined;
  const header = bytes === undefined ? undefined : readRecordHeader(bytes, 0);
  const problem = await ranges.check(place, crc32);
  if (problem !== undefined) return problem;
  return header?.sizeBytes === place.sizeBytes && header.crc32 === crc32 ? undefined : 'header';
}

/** The range of a record's header. */
export function headerOf({ offset }: Pick<StoredRange, 'offset'>): { offset: number; sizeBytes: number } {
  return { offset: offset - recordHeaderBytes, sizeBytes: recordHeaderBytes };
}
