import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const mostColumns = 12;

/** A few items or rows of a source as a table. */
export function SourceSample({ rows }: { rows: readonly Readonly<Record<string, unknown>>[] }) {
  const { t } = useTranslation();
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('collection.form.noSample')}
      </Text>
    );
  return (
    <div className="table-scroll" tabIndex={0}>
      <Table aria-label={t('collection.form.sample')}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={index}>
              {columns.map((column) => (
                <Table.Td key={column}>
                  <Text size="xs" lineClamp={2} className="wraps">
                    {textOf(row[column])}
                  </Text>
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
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
