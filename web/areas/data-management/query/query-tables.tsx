import { Skeleton, Text, Title, UnstyledButton } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DatasetTables } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { badgesOf } from '../file-views/rows/column-head.tsx';
import { bestName, quoted } from './sql-words.ts';

export type RefusedFile = { fileId: string; sheet?: string; filePath: string; reason: string };

/** The tables of a dataset with their columns; choosing a name inserts it into the statement. */
export function QueryTables(props: {
  tables: DatasetTables['tables'] | undefined;
  /** Files that turned out not to be tables, with the reason. */
  refused: readonly RefusedFile[];
  onInsert: (name: string) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { tables, refused, onInsert } = props;
  return (
    <section aria-label={t('viewer.query.tables')}>
      <Title order={2} size="h6" mb={4}>
        {t('viewer.query.tables')}
      </Title>
      {tables === undefined ? (
        <Skeleton height={120} />
      ) : (
        <ul className="query-tables" tabIndex={0}>
          {tables.map((table) => (
            <li key={`${table.fileId}/${table.sheet ?? ''}`}>
              <UnstyledButton className="query-name" title={table.filePath} onClick={() => onInsert(bestName(table))}>
                <span>
                  <IconTable size={12} aria-hidden /> <strong>{bestName(table)}</strong>
                </span>
                <small>{table.rows === null ? '' : formatCount(table.rows, locale)}</small>
              </UnstyledButton>
              {table.columns !== null && (
                <ul>
                  {table.columns.slice(0, 60).map(({ name, type, ...notes }) => (
                    <li key={name}>
                      <UnstyledButton
                        className="query-name"
                        title={[
                          `${name} ${type}`,
                          ...badgesOf(notes).map(({ label }) => t(`viewer.rows.${label}`)),
                        ].join(' · ')}
                        onClick={() => onInsert(quoted(name))}
                      >
                        <span>{name}</span>
                        <small>{type}</small>
                      </UnstyledButton>
                    </li>
                  ))}
                  {table.columns.length > 60 && (
                    <Text size="xs" c="dimmed" component="li">
                      {t('viewer.query.moreColumns', { count: table.columns.length - 60 })}
                    </Text>
                  )}
                </ul>
              )}
            </li>
          ))}
          {refused.map(({ fileId, sheet, filePath, reason }) => (
            <li key={`${fileId}/${sheet ?? ''}`}>
              <Text size="xs" c="dimmed" className="wraps">
                <strong>{filePath}</strong> {reason}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
