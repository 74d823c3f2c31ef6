import { memo } from 'react';
import { writeExact } from '../exact-numbers.ts';

/** A value in a cell of a grid: text unchanged, lists and objects as JSON, null as a word. */
export const CellValue = memo(function CellValue({ value, isCut }: { value: unknown; isCut: boolean }) {
  const end = isCut ? '…' : '';
  if (value === undefined) return null;
  if (value === null) return <span className="cell-null">null</span>;
  if (typeof value === 'boolean') return <span className="cell-word">{String(value)}</span>;
  if (typeof value === 'object') {
    return (
      <span className="cell-text cell-json">
        {writeExact(value)}
        {end}
      </span>
    );
  }
  return (
    <span className="cell-text">
      {typeof value === 'string' ? value : writeExact(value)}
      {end}
    </span>
  );
});
