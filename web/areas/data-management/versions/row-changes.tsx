import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RowDiff } from '../../../api/schema.ts';
import { writeExact } from '../file-views/exact-numbers.ts';
import { ChangeBadge } from './change-list.tsx';

const shownColumns = 40;
const shownCharacters = 240;

/** Changed rows one below another; in a changed row, differing cells show both values. */
export function RowChanges({ diff, isStale }: { diff: RowDiff; isStale: boolean }) {
  const { t } = useTranslation();
  const differing = new Set(diff.content.flatMap(({ changedColumns }) => changedColumns));
  const all = [...new Set([...diff.key, ...[...diff.after.columns, ...diff.before.columns].map(({ name }) => name)])];
  // Columns that differ come first, after the key.
  const names = [
    ...diff.key,
    ...all.filter((name) => differing.has(name) && !diff.key.includes(name)),
    ...all.filter((name) => !differing.has(name) && !diff.key.includes(name)),
  ].slice(0, shownColumns);
  return (
    <div className="table-frame table-head" tabIndex={0} data-stale={isStale || undefined}>
      <Table stickyHeader aria-label={t('viewer.rowDiff.changes')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('viewer.versions.whatChanged')}</Table.Th>
            <Table.Th ta="right">{t('datasets.file.row')}</Table.Th>
            {names.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {diff.content.map(({ change, before, after, changedColumns }) => (
            <Table.Tr key={`${change} ${before?.row ?? ''} ${after?.row ?? ''}`} data-change={change}>
              <Table.Td>
                <ChangeBadge change={change} />
              </Table.Td>
              <Table.Td ta="right" className="figure">
                {before !== null && after !== null && before.row !== after.row
                  ? `${before.row} → ${after.row}`
                  : (after ?? before)?.row}
              </Table.Td>
              {names.map((name) => (
                <Table.Td key={name} className="diff-cell" data-verbatim>
                  {change === 'CHANGED' && changedColumns.includes(name) ? (
                    <div className="diff-text">
                      <del>{textOf(before?.values?.[name])}</del> <ins>{textOf(after?.values?.[name])}</ins>
                    </div>
                  ) : (
                    textOf((after ?? before)?.values?.[name])
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : writeExact(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
