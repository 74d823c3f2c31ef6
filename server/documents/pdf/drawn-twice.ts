import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { isText, type PageItem } from './table-text.ts';

/** Copies are drawn at most this far apart, as a share of the letter's size. */
const maxShift = 0.15;
/** How much the width of a part of a text may be off: it is measured by its share of the letters. */
const tolerance = 0.3;
/** Fewer points are the same place, however small the letters. */
const minShift = 1;

type Place = { x: number; y: number; size: number };

/**
 * Leaves out text that is drawn again at nearly the same place, as programs do for bold letters and shadows: whole
 * texts, or letter by letter, where pdf.js joins the copy of a letter to the next one.
 */
export function withoutCopies(items: readonly PageItem[]): PageItem[] {
  const seen = new Map<string, Place[]>();
  const kept: PageItem[] = [];
  /** Index of the last item with text. */
  let last = -1;
  for (const item of items) {
    if (!isText(item) || item.str.trim() === '' || !isUpright(item)) {
      kept.push(item);
      continue;
    }
    const before = kept[last];
    const isCopy = isDrawn(item, seen);
    const rest = isCopy ? '' : restBehind(before !== undefined && isText(before) ? before : undefined, item);
    remember(item, seen);
    if (rest.trim() === '') {
      // Its line end counts.
      if (item.hasEOL) kept.push({ ...item, str: '', width: 0 });
      continue;
    }
    last = kept.length;
    kept.push(rest === item.str ? item : cutTo(item, rest));
  }
  return kept;
}

function isUpright({ transform }: TextItem): boolean {
  const [a = 0, b = 0] = transform as number[];
  return b === 0 && a > 0;
}

function placeOf({ transform, height }: TextItem): Place {
  const [a = 0, , , , x = 0, y = 0] = transform as number[];
  return { x, y, size: height || a };
}

function isDrawn(item: TextItem, seen: ReadonlyMap<string, readonly Place[]>): boolean {
  const { x, y, size } = placeOf(item);
  const near = Math.max(minShift, maxShift * size);
  return (
    seen
      .get(item.str)
      ?.some(
        (place) =>
          Math.abs(place.x - x) < near && Math.abs(place.y - y) < near && Math.abs(place.size - size) < 0.1 * size,
      ) === true
  );
}

/** Places are compared with the last few of the same text, so that a page of equal texts takes linear time. */
const maxPlaces = 50;

function remember(item: TextItem, seen: Map<string, Place[]>): void {
  const places = seen.get(item.str) ?? [];
  places.push(placeOf(item));
  if (places.length > maxPlaces) places.shift();
  seen.set(item.str, places);
}

/** The text of an item behind the letters that repeat the end of the item before. */
function restBehind(before: TextItem | undefined, item: TextItem): string {
  if (before === undefined || !isUpright(before)) return item.str;
  const [one, other] = [placeOf(before), placeOf(item)];
  const overlap = one.x + before.width - other.x;
  const isNear = Math.abs(one.y - other.y) < Math.max(minShift, maxShift * other.size);
  if (!isNear || Math.abs(one.size - other.size) > 0.1 * other.size || overlap < 0.15 * other.size) return item.str;
  const most = Math.min(before.str.length, item.str.length, 200);
  for (let count = most; count > 0; count -= 1) {
    if (!before.str.endsWith(item.str.slice(0, count))) continue;
    const width = (item.width * count) / item.str.length;
    const own = (before.width * count) / before.str.length;
    const off = Math.min(Math.abs(overlap - width), Math.abs(overlap - own));
    if (off < tolerance * other.size + 0.15 * width) return item.str.slice(count);
  }
  return item.str;
}

function cutTo(item: TextItem, rest: string): TextItem {
  const left = (item.width * (item.str.length - rest.length)) / item.str.length;
  const transform = [...(item.transform as number[])];
  transform[4] = (transform[4] ?? 0) + left;
  return { ...item, str: rest, width: item.width - left, transform };
}
