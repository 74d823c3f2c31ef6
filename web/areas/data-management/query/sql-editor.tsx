import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import './query.css';
import { completionsAt, type Completions, type KnownTable } from './sql-words.ts';

export type SqlPlace = { start: number; end: number };

/**
 * A field for a statement: Ctrl+Enter runs it, completions are chosen by arrow keys and Enter or Tab, and the place of an error is
 * underlined.
 */
export function SqlEditor(props: {
  value: string;
  tables: readonly KnownTable[];
  problem: SqlPlace | undefined;
  onChange: (sql: string) => void;
  onRun: () => void;
}) {
  const { t } = useTranslation();
  const { value, tables, problem, onChange, onRun } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const marker = useRef<HTMLSpanElement>(null);
  const [offered, setOffered] = useState<Completions>();
  const [chosen, setChosen] = useState(0);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const caretAfter = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    field.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });
  useLayoutEffect(() => {
    const mark = marker.current;
    if (offered === undefined || mark === null) return;
    setPlace({ left: mark.offsetLeft, top: mark.offsetTop + mark.offsetHeight + 4 });
  }, [offered]);
  useEffect(() => {
    if (problem !== undefined) field.current?.setSelectionRange(problem.start, problem.start);
  }, [problem]);
  const offer = (sql: string, caret: number, isAsked: boolean): void => {
    const found = completionsAt(sql, caret, tables);
    const isWorth = found.options.length > 0 && (isAsked || caret > found.from || /[.\s]$/.test(sql.slice(0, caret)));
    setOffered(isWorth ? found : undefined);
    setChosen(0);
  };
  const accept = (index: number): void => {
    const option = offered?.options[index];
    const caret = field.current?.selectionStart ?? value.length;
    if (offered === undefined || option === undefined) return;
    caretAfter.current = offered.from + option.insert.length;
    onChange(value.slice(0, offered.from) + option.insert + value.slice(caret));
    setOffered(undefined);
    field.current?.focus();
  };
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && key === 'Enter') {
      setOffered(undefined);
      onRun();
    } else if (event.ctrlKey && key === ' ') offer(value, event.currentTarget.selectionStart, true);
    else if (offered === undefined) return;
    else if (key === 'ArrowDown') setChosen((chosen + 1) % offered.options.length);
    else if (key === 'ArrowUp') setChosen((chosen + offered.options.length - 1) % offered.options.length);
    else if (key === 'Enter' || key === 'Tab') accept(chosen);
    else if (key === 'Escape') setOffered(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className="sql-editor">
      <div className="sql-lines">
        <pre aria-hidden className="sql-marks">
          {marked(value, problem, offered?.from, marker)}
        </pre>
        <textarea
          ref={field}
          className="sql-field"
          aria-label={t('viewer.query.statement')}
          aria-autocomplete="list"
          aria-controls={offered === undefined ? undefined : `${id}-offers`}
          aria-activedescendant={offered === undefined ? undefined : `${id}-${chosen}`}
          aria-invalid={problem !== undefined}
          value={value}
          rows={Math.min(16, Math.max(5, value.split('\n').length + 1))}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          placeholder={t('viewer.query.placeholder')}
          onChange={(event) => {
            onChange(event.currentTarget.value);
            offer(event.currentTarget.value, event.currentTarget.selectionStart, false);
          }}
          onKeyDown={pressed}
          onBlur={() => setOffered(undefined)}
        />
      </div>
      {offered !== undefined && (
        <div
          className="sql-offers"
          role="listbox"
          id={`${id}-offers`}
          aria-label={t('viewer.query.completions')}
          style={place}
        >
          {offered.options.map(({ label, detail, kind }, index) => (
            // The field keeps the focus and handles the keys.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
            <div
              key={`${kind} ${label}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              data-kind={kind}
              ref={index === chosen ? (item) => item?.scrollIntoView({ block: 'nearest' }) : undefined}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => accept(index)}
            >
              <span>{label}</span>
              <small>{detail}</small>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** A copy of the field's text, drawn behind it, with the error underlined and a mark where completions are shown. */
function marked(
  sql: string,
  problem: SqlPlace | undefined,
  from: number | undefined,
  marker: React.RefObject<HTMLSpanElement | null>,
): React.ReactNode {
  const text = (start: number, end?: number): string => sql.slice(start, end);
  if (problem !== undefined)
    return (
      <>
        {text(0, problem.start)}
        <mark>{text(problem.start, problem.end) || ' '}</mark>
        {text(problem.end)}
      </>
    );
  if (from === undefined) return sql;
  return (
    <>
      {text(0, from)}
      <span ref={marker}>{'\u200b'}</span>
      {text(from)}
    </>
  );
}
