import { memo, useEffect, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FileRow, FileRowColumn } from '../../../../api/schema.ts';
import { useSay } from '../../../../messages/sentences.ts';
import './row-grid.css';
import { CellValue } from './cell-value.tsx';
import { columnsAt, heightOf } from './row-window.ts';
import { useRowScroll } from './use-row-scroll.ts';
import { kindOfType } from './value-kind.ts';

/** A column of a grid: its key in the rows, its label, and its width in pixels. */
export type GridColumn = Pick<FileRowColumn, 'name' | 'type' | 'isMixed' | 'hasDigits' | 'hasHalves' | 'given'> & {
  key: string;
  width: number;
};

export type GridRow = {
  /** From 1; shown before the row. */
  number: number;
  values: Readonly<Record<string, unknown>> | null;
  cut: readonly string[];
  problem: string | null;
  problemCode: string | null;
  problemParams: FileRow['problemParams'];
  text: string | null;
};

const numberWidth = 76;
const columnsBeside = 300;

/**
 * Rows of a table of any length and width; only those in view are rendered. One tab stop: arrow keys move the current cell,
 * Enter opens its row.
 */
export function RowGrid(props: {
  label: string;
  columns: readonly GridColumn[];
  count: number;
  /** Lines of text per row. */
  lines: number;
  headHeight: number;
  isStale?: boolean;
  rowAt: (index: number) => GridRow | undefined;
  onRange: (first: number, end: number) => void;
  onOpen: (index: number) => void;
  head: (column: GridColumn, index: number) => ReactNode;
  /** A row to scroll to; a new object scrolls again. */
  goTo?: { index: number } | undefined;
  /** Makes the grid lower than the page allows. */
  low?: boolean;
}) {
  const { t } = useTranslation();
  const { columns, count, lines, headHeight, onRange, onOpen, goTo } = props;
  const id = useId();
  const rowHeight = 14 + 19 * lines;
  const scroll = useRowScroll({ count, rowHeight, headHeight });
  const { frame, first, end, showRow } = scroll;
  const [current, setCurrent] = useState({ row: 0, column: 0 });
  const [isFocused, setFocused] = useState(false);
  useEffect(() => onRange(first, end), [onRange, first, end]);
  useEffect(() => {
    if (goTo === undefined) return;
    setCurrent((old) => ({ ...old, row: goTo.index }));
    showRow(goTo.index);
  }, [goTo, showRow]);
  const widths = columns.map(({ width }) => width);
  const total = widths.reduce((sum, width) => sum + width, numberWidth);
  const right = scroll.left + Math.max(scroll.viewWidth, 300);
  const shown = columnsAt(widths, scroll.left - numberWidth - columnsBeside, right + columnsBeside);
  const seen = columns.slice(shown.first, shown.end);
  const cellId = (row: number, column: number): string => `${id}-${row}-${column}`;
  const go = (row: number, column: number): void => {
    const next = {
      row: Math.min(Math.max(0, row), Math.max(0, count - 1)),
      column: Math.min(Math.max(0, column), Math.max(0, columns.length - 1)),
    };
    setCurrent(next);
    showRow(next.row);
    showColumn(frame.current, widths, next.column);
  };
  return (
    <div
      ref={frame}
      className="row-grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={isFocused && count > 0 ? cellId(current.row, current.column) : undefined}
      data-stale={props.isStale === true || undefined}
      tabIndex={0}
      style={{
        height: `min(${props.low === true ? '46vh' : 'max(300px, 100dvh - 226px)'}, ${headHeight + heightOf({ count, rowHeight, viewHeight: 0 }) + 18}px)`,
      }}
      onFocus={(event) => setFocused(event.target === event.currentTarget)}
      onBlur={() => setFocused(false)}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.altKey) return;
        const target = keyTarget(event, current, { rows: count, columns: columns.length, page: scroll.viewRows });
        if (target === 'open') onOpen(current.row);
        else if (target !== undefined) go(target.row, target.column);
        if (target !== undefined) event.preventDefault();
      }}
    >
      <div className="row-grid-head" role="row" aria-rowindex={1} style={{ width: total, height: headHeight }}>
        <div className="row-grid-number" role="columnheader" aria-colindex={1} style={{ width: numberWidth }}>
          {t('datasets.file.row')}
        </div>
        <div style={{ width: shown.before, flex: 'none' }} role="presentation" />
        {seen.map((column, at) => props.head(column, shown.first + at))}
      </div>
      <div
        role="presentation"
        style={{ height: heightOf({ count, rowHeight, viewHeight: 0 }), width: total, position: 'relative' }}
      >
        <div
          role="presentation"
          style={{ position: 'absolute', top: 0, transform: `translateY(${scroll.top}px)`, width: total }}
        >
          {Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).map((index) => (
            <RowLine
              key={index}
              index={index}
              row={props.rowAt(index)}
              columns={seen}
              firstColumn={shown.first}
              before={shown.before}
              height={rowHeight}
              lines={lines}
              current={isFocused && current.row === index ? current.column : undefined}
              id={id}
              onOpen={onOpen}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const RowLine = memo(function RowLine(props: {
  index: number;
  row: GridRow | undefined;
  columns: readonly GridColumn[];
  firstColumn: number;
  before: number;
  height: number;
  lines: number;
  current: number | undefined;
  id: string;
  onOpen: (index: number) => void;
}) {
  const { t } = useTranslation();
  const say = useSay();
  const { index, row, columns, firstColumn, before, height, current, id } = props;
  return (
    // Keys are handled by the grid, which keeps the focus.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      className="row-grid-row"
      role="row"
      aria-rowindex={index + 2}
      data-lines={props.lines > 1 || undefined}
      style={{ height, '--lines': props.lines } as React.CSSProperties}
      onClick={() => {
        // A click that ends a text selection is not a click on the row.
        if (getSelection()?.isCollapsed !== false) props.onOpen(index);
      }}
    >
      <div className="row-grid-number figure" role="rowheader" aria-colindex={1} style={{ width: numberWidth }}>
        {row?.number ?? ''}
      </div>
      <div style={{ width: before, flex: 'none' }} role="presentation" />
      {row === undefined ? (
        columns.map(({ key, width }) => (
          <div key={key} className="row-grid-cell" role="presentation" style={{ width }}>
            <span className="row-grid-wait" />
          </div>
        ))
      ) : row.values === null ? (
        <div className="row-grid-broken" role="gridcell" aria-colindex={2} id={`${id}-${index}-${current ?? 0}`}>
          <strong>{t('datasets.file.badRow')}</strong> {say(row, 'problem')} <code>{row.text}</code>
        </div>
      ) : (
        columns.map(({ key, type, width }, at) => (
          <div
            key={key}
            id={`${id}-${index}-${firstColumn + at}`}
            className="row-grid-cell"
            role="gridcell"
            aria-colindex={firstColumn + at + 2}
            aria-selected={current === firstColumn + at}
            data-verbatim
            data-number={kindOfType(type) === 'number' || undefined}
            style={{ width }}
          >
            <CellValue value={row.values?.[key]} isCut={row.cut.includes(key)} />
          </div>
        ))
      )}
    </div>
  );
});

type Place = { row: number; column: number };

/** The cell that a key moves to from the current one. */
function keyTarget(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  { row, column }: Place,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): Place | 'open' | undefined {
  switch (key) {
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'PageDown':
      return { row: row + page, column };
    case 'PageUp':
      return { row: row - page, column };
    case 'Home':
      return ctrlKey || metaKey ? { row: 0, column } : { row, column: 0 };
    case 'End':
      return ctrlKey || metaKey ? { row: rows - 1, column } : { row, column: columns - 1 };
    case 'Enter':
    case ' ':
      return 'open';
    default:
      return undefined;
  }
}

function showColumn(frame: HTMLDivElement | null, widths: readonly number[], column: number): void {
  if (frame === null) return;
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column] ?? 0) + numberWidth;
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}
