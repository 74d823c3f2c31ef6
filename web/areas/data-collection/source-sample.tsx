import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../ui/figures.tsx';
import { formatBytes, formatTime } from '../../ui/format.ts';

const mostColumns = 12;

/** Connectors of rows, whose columns are named by the source. */
const rowSources: readonly string[] = ['postgresql', 'mysql', 'sqlite', 'http-api'];
/** Columns for the items of other connectors. */
const facts = [
  'beginning',
  'content',
  'contentType',
  'id',
  'link',
  'links',
  'modifiedAt',
  'name',
  'path',
  'publishedAt',
  'sizeBytes',
  'title',
] as const;

type Fact = (typeof facts)[number];

function factOf(column: string): Fact | undefined {
  return facts.find((fact) => fact === column);
}

/** A few items or rows of a source as a table. */
export function SourceSample(props: { rows: readonly Readonly<Record<string, unknown>>[]; connector: string }) {
  const { t } = useTranslation();
  const { rows, connector } = props;
  const isOfRows = rowSources.includes(connector);
  const headOf = (column: string): string => {
    const fact = isOfRows ? undefined : factOf(column);
    return fact === undefined ? column : t(`collection.sample.${fact}`);
  };
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
              <Table.Th key={column}>{headOf(column)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={index}>
              {columns.map((column) => (
                <Table.Td key={column}>
                  <Text size="xs" lineClamp={2} className="wraps">
                    <Value column={isOfRows ? undefined : factOf(column)} value={row[column]} />
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

function Value({ column, value }: { column: Fact | undefined; value: unknown }) {
  const locale = useLocale();
  if (column === 'sizeBytes' && typeof value === 'number') return formatBytes(value, locale);
  const isTime = column === 'modifiedAt' || column === 'publishedAt';
  if (isTime && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return formatTime(new Date(value), locale);
  if (column === 'links' && Array.isArray(value)) return value.join(', ');
  return textOf(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
