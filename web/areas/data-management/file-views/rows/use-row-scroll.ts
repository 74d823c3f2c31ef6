import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { isScaled, mostOffset, offsetAt, offsetToShow, scrollTopAt, windowAt, type RowSpace } from './row-window.ts';

const rowsBeside = 8;

export type RowScroll = {
  /** The frame that scrolls. */
  frame: RefObject<HTMLDivElement | null>;
  /** The rows to draw. */
  first: number;
  end: number;
  /** Position of the first of them in the scrolled element, in pixels. */
  top: number;
  left: number;
  viewWidth: number;
  viewRows: number;
  showRow: (row: number) => void;
};

/** Tracks the scrolling of a frame of equally high rows below a sticky head. */
export function useRowScroll(options: { count: number; rowHeight: number; headHeight: number }): RowScroll {
  const { count, rowHeight, headHeight } = options;
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [place, setPlace] = useState({ offset: 0, left: 0, scrollTop: 0 });
  const space: RowSpace = { count, rowHeight, viewHeight: Math.max(0, size.height - headHeight) };
  const latest = useRef({ space, offset: 0, setTop: -1 });
  useLayoutEffect(() => {
    latest.current.space = space;
  });
  const move = useCallback((offset: number): void => {
    const element = frame.current;
    if (element === null) return;
    const now = latest.current;
    now.offset = Math.min(Math.max(0, offset), mostOffset(now.space));
    element.scrollTo({ top: scrollTopAt(now.space, now.offset), behavior: 'instant' });
    now.setTop = element.scrollTop;
    setPlace({ offset: now.offset, left: element.scrollLeft, scrollTop: element.scrollTop });
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const resize = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    resize.observe(element);
    const scrolled = (): void => {
      const now = latest.current;
      // A position set by `move` is known exactly; the browser rounds it.
      if (Math.abs(element.scrollTop - now.setTop) > 1) now.offset = offsetAt(now.space, element.scrollTop);
      now.setTop = element.scrollTop;
      setPlace({ offset: now.offset, left: element.scrollLeft, scrollTop: element.scrollTop });
    };
    // Where a pixel covers many rows, a turn of the wheel still moves by a few rows.
    const turned = (event: WheelEvent): void => {
      const { space, offset } = latest.current;
      if (!isScaled(space) || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      move(offset + event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? space.rowHeight : 1));
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    element.addEventListener('wheel', turned, { passive: false });
    return () => {
      resize.disconnect();
      element.removeEventListener('scroll', scrolled);
      element.removeEventListener('wheel', turned);
    };
  }, [move]);
  const showRow = useCallback(
    (row: number): void => move(offsetToShow(latest.current.space, latest.current.offset, row)),
    [move],
  );
  const offset = Math.min(place.offset, mostOffset(space));
  const { first, end } = windowAt(space, offset, rowsBeside);
  return {
    frame,
    first,
    end,
    top: isScaled(space) ? place.scrollTop + first * rowHeight - offset : first * rowHeight,
    left: place.left,
    viewWidth: size.width,
    viewRows: Math.max(1, Math.floor(space.viewHeight / rowHeight)),
    showRow,
  };
}
