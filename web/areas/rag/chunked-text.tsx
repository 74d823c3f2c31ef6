import { UnstyledButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { segmentsOf } from './document-sections.ts';

/** A text with its chunks in alternating colours, hatched where two overlap. Each starts with its number, which selects it. */
export function ChunkedText(props: {
  /** The text of the range only. */
  text: string;
  range: { start: number; end: number };
  chunks: readonly { start: number; end: number }[];
  chosen?: number | undefined;
  /** A range to show if no chunk is chosen. */
  place?: { start: number; end: number } | undefined;
  onChoose?: (index: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { text, range, chunks, chosen, place, onChoose } = props;
  const shown = useRef<HTMLSpanElement>(null);
  const target = chosen === undefined ? place?.start : chunks[chosen]?.start;
  useEffect(() => {
    if (target !== undefined) shown.current?.scrollIntoView({ block: 'center' });
  }, [target]);
  const points = [...text];
  const marks = place === undefined || chosen !== undefined ? [] : [place];
  const segments = segmentsOf(range, [...chunks, ...marks]);
  const first = segments.findIndex(({ chunks: of }) => of.includes(chosen ?? chunks.length));
  return segments.map((segment, at) => {
    const of = segment.chunks.filter((index) => index < chunks.length);
    const begins = of.filter((index) => chunks[index]?.start === segment.start);
    const last = of.at(-1);
    const isChosen = (chosen !== undefined && of.includes(chosen)) || segment.chunks.includes(chunks.length);
    return (
      <span
        key={segment.start}
        ref={at === first ? shown : undefined}
        className="chunk-segment"
        data-kind={of.length > 1 ? 'overlap' : last === undefined ? undefined : last % 2 === 0 ? 'even' : 'odd'}
        data-chosen={isChosen || undefined}
      >
        {begins.map((index) =>
          onChoose === undefined ? (
            <sup key={index} className="chunk-number" aria-hidden>
              {index + 1}
            </sup>
          ) : (
            <UnstyledButton
              key={index}
              className="chunk-number"
              aria-label={t('knowledge.document.chunk', { number: formatCount(index + 1, locale) })}
              aria-pressed={chosen === index}
              onClick={() => onChoose(index)}
            >
              {formatCount(index + 1, locale)}
            </UnstyledButton>
          ),
        )}
        {points.slice(segment.start - range.start, segment.end - range.start).join('')}
      </span>
    );
  });
}
