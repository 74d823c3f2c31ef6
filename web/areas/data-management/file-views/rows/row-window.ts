/** Browsers lay out no element taller than their limit: Firefox 17.9 million pixels, Chromium 33.5. */
export const tallestPixels = 12_000_000;

/** Rows of one height in a frame that shows `viewHeight` of them at once. */
export type RowSpace = { count: number; rowHeight: number; viewHeight: number };

/** Height of the element that the browser scrolls: the height of all rows, capped at the limit. */
export function heightOf({ count, rowHeight }: RowSpace): number {
  return Math.min(count * rowHeight, tallestPixels);
}

/** Whether one pixel of scrolling is more than one pixel of rows. */
export function isScaled({ count, rowHeight }: RowSpace): boolean {
  return count * rowHeight > tallestPixels;
}

/** How far the rows are scrolled, in pixels of all rows, from the browser's `scrollTop`. */
export function offsetAt(space: RowSpace, scrollTop: number): number {
  if (!isScaled(space)) return Math.min(scrollTop, mostOffset(space));
  const range = tallestPixels - space.viewHeight;
  return Math.min(1, Math.max(0, scrollTop / range)) * mostOffset(space);
}

/** The inverse of `offsetAt`. */
export function scrollTopAt(space: RowSpace, offset: number): number {
  const within = Math.min(Math.max(0, offset), mostOffset(space));
  return isScaled(space) ? (within / mostOffset(space)) * (tallestPixels - space.viewHeight) : within;
}

export function mostOffset({ count, rowHeight, viewHeight }: RowSpace): number {
  return Math.max(0, count * rowHeight - viewHeight);
}

/** The rows to draw, from `first` to before `end`: those in view and a few beside them. */
export function windowAt(space: RowSpace, offset: number, beside: number): { first: number; end: number } {
  const first = Math.floor(offset / space.rowHeight);
  const shown = Math.ceil(space.viewHeight / space.rowHeight) + 1;
  return { first: Math.max(0, first - beside), end: Math.min(space.count, first + shown + beside) };
}

/** The offset that brings a row into view with as little movement as possible. */
export function offsetToShow(space: RowSpace, offset: number, row: number): number {
  const top = row * space.rowHeight;
  if (top < offset) return top;
  const bottom = top + space.rowHeight - space.viewHeight;
  return bottom > offset ? Math.min(bottom, mostOffset(space)) : offset;
}

/** The columns in view between two horizontal positions: from `first` to before `end`, and the width before them. */
export function columnsAt(
  widths: readonly number[],
  left: number,
  right: number,
): { first: number; end: number; before: number } {
  let first = 0;
  let before = 0;
  for (const width of widths) {
    if (before + width > left) break;
    before += width;
    first += 1;
  }
  let end = first;
  for (let edge = before; end < widths.length && edge < right; end += 1) edge += widths[end] ?? 0;
  return { first, end, before };
}
