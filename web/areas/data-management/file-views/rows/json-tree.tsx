import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LongText } from './long-text.tsx';
import { writeExact } from '../exact-numbers.ts';

const childrenAtOnce = 100;
const openDepth = 2;

/** A list or an object, level by level; longer ones show more on demand. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(childrenAtOnce);
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="json-leaf" data-type={value === null ? 'null' : typeof value}>
        {label}
        {typeof value === 'string' ? <LongText text={value} /> : writeExact(value)}
      </div>
    );
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <div className="json-node">
      <UnstyledButton className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <IconChevronRight size={14} aria-hidden data-open={isOpen || undefined} />
        {label}
        <span className="json-size">{size}</span>
      </UnstyledButton>
      {isOpen && (
        <div className="json-children">
          {entries.slice(0, shown).map(([key, child]) => (
            <JsonTree key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <UnstyledButton className="json-toggle" onClick={() => setShown(shown + childrenAtOnce)}>
              {t('viewer.rows.moreValues', { count: entries.length - shown })}
            </UnstyledButton>
          )}
        </div>
      )}
    </div>
  );
}
