import { Fragment } from 'react';

/** A text with marked ranges; offsets count code points, or UTF-16 units. */
export function MarkedText(props: {
  text: string;
  marks: readonly { start: number; end: number }[];
  units?: 'CODE_POINTS' | 'UTF_16';
}) {
  const points = props.units === 'UTF_16' ? props.text.split('') : [...props.text];
  const parts: { start: number; text: string; isMarked: boolean }[] = [];
  let at = 0;
  const add = (end: number, isMarked: boolean): void => {
    if (end > at) parts.push({ start: at, text: points.slice(at, end).join(''), isMarked });
    at = Math.max(at, end);
  };
  for (const { start, end } of props.marks.toSorted((one, other) => one.start - other.start)) {
    add(start, false);
    add(end, true);
  }
  add(points.length, false);
  return parts.map(({ start, text, isMarked }) =>
    isMarked ? (
      <mark key={start} className="found-word">
        {text}
      </mark>
    ) : (
      <Fragment key={start}>{text}</Fragment>
    ),
  );
}
