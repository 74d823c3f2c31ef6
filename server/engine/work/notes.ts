import type { LocalBytes } from '../orders/shard.ts';
import { damagedNotes, readChecked } from '../orders/stored-bytes.ts';
import type { ReadAt } from '../../tables/lines.ts';

/** Opens the bytes of a piece; its first byte is at position 0. */
export type OpenPiece = (place: { path: string; offset: number }) => ReadAt;

/** Opens intermediate data of the engine; it is verified before it is read. */
export function openNotes(place: LocalBytes, open: OpenPiece): ReadAt {
  return readChecked(open(place), { from: 0, to: place.sizeBytes, crc32: place.crc32 }, damagedNotes);
}
