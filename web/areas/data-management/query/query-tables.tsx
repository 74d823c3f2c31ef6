import { Skeleton, Text, Title, UnstyledButton } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetTables } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { bestName, quoted } from './sql-words.ts';
import { lookAtTable, looked } from './table-queries.ts';

/** The tables of a dataset with their columns; a name that is chosen goes into the statement. */
export function QueryTables(props: {
  datasetId: string;
  version: number | undefined;
  tables: DatasetTables['tables'] | undefined;
  onInsert: (name: string) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { datasetId, version, tables, onInsert } = props;
  const unknown = (tables ?? [])
    .slice(0, looked)
    .filter(({ columns, fileSize }) => columns === null && fileSize > 0)
    .map(({ fileId, sheet }) => JSON.stringify([fileId, sheet ?? null]))
    .join('\n');
  useEffect(() => {
    // A table that can't be read says so when a statement names it.
    for (const line of unknown.split('\n').filter((one) => one !== '')) {
      const [fileId, sheet] = JSON.parse(line) as [string, string | null];
      lookAtTable({ datasetId, fileId, sheet, version }).catch(() => undefined);
    }
  }, [unknown, datasetId, version]);
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
                  {table.columns.slice(0, 60).map(({ name, type }) => (
                    <li key={name}>
                      <UnstyledButton
                        className="query-name"
                        title={`${name} ${type}`}
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
        </ul>
      )}
    </section>
  );
}
