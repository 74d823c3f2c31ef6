import { Button, Group, Menu, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconDeviceFloppy, IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { QueryExport, QueryResult } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { Duration, useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { notifyError } from '../../../ui/notify.ts';
import { saveBytes } from '../save-bytes.ts';
import { writeExact } from '../file-views/exact-numbers.ts';
import { usualWidth } from '../file-views/rows/column-layout.ts';
import { RowDrawer } from '../file-views/rows/row-drawer.tsx';
import { RowGrid, type GridColumn, type GridRow } from '../file-views/rows/row-grid.tsx';
import { ResultChart } from './result-chart.tsx';
import { SaveResultDialog } from './save-result-dialog.tsx';
import type { Statement } from './use-statement.ts';

const formats = ['CSV', 'JSONL', 'PARQUET'] as const;
const headHeight = 46;

/** The result of a statement as a table or a chart; it can be downloaded or saved as a file. */
export function QueryResults(props: {
  datasetId: string;
  version: number | undefined;
  sql: string;
  result: QueryResult;
  statement: Statement;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const mayEdit = useMayEdit();
  const { datasetId, version, sql, result, statement } = props;
  const [view, setView] = useState<'table' | 'chart'>('table');
  const [isSaving, setSaving] = useState(false);
  const download = useMutation({
    mutationFn: (format: QueryExport['format']) => downloadResult(datasetId, version, { sql, format }),
    onError: notifyError,
  });
  const unreadable = result.tables.filter((table) => table.unreadable > 0);
  const lost = result.tables.flatMap((table) =>
    (['rounded', 'replaced'] as const).flatMap((kind) =>
      table[kind].length === 0 ? [] : [{ ...table, kind, columns: table[kind] }],
    ),
  );
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.query.view')}
          value={view}
          onChange={(next) => setView(next === 'chart' ? 'chart' : 'table')}
          data={[
            { value: 'table', label: t('datasets.file.table') },
            { value: 'chart', label: t('viewer.query.chart') },
          ]}
        />
        <Text size="xs" c="dimmed" role="status" className="figure">
          {t(result.hasMore ? 'viewer.query.firstRows' : 'viewer.query.rows', {
            count: result.rows.length,
            shown: formatCount(result.rows.length, locale),
          })}
          {' · '}
          <Duration ms={result.tookMs} />
        </Text>
        {result.hasMore && (
          <Button size="compact-xs" variant="default" loading={statement.isRunning} onClick={statement.readMore}>
            {t('viewer.query.more')}
          </Button>
        )}
        <Menu withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconDownload size={14} />} loading={download.isPending}>
              {t('common.actions.download')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {formats.map((format) => (
              <Menu.Item key={format} onClick={() => download.mutate(format)}>
                {t(`viewer.query.formats.${format}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDeviceFloppy size={14} />}
            onClick={() => setSaving(true)}
          >
            {t('viewer.query.save')}
          </Button>
        )}
      </Group>
      {unreadable.map(({ fileId, filePath, unreadable: count }) => (
        <Text key={fileId} size="xs" c="orange">
          {t('viewer.query.unreadable', { path: filePath, count, shown: formatCount(count, locale) })}
        </Text>
      ))}
      {lost.map(({ fileId, filePath, sheet, kind, columns }) => (
        <Text key={`${fileId}/${sheet ?? ''}/${kind}`} size="xs" c="orange">
          {t(`viewer.query.${kind}`, { path: filePath, columns: columns.join(', ') })}
        </Text>
      ))}
      {view === 'table' ? <ResultTable result={result} /> : <ResultChart columns={result.columns} rows={result.rows} />}
      {isSaving && (
        <SaveResultDialog datasetId={datasetId} version={version} sql={sql} onClose={() => setSaving(false)} />
      )}
    </Stack>
  );
}

function ResultTable({ result }: { result: QueryResult }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<number>();
  const { columns: given, rows, cut } = result;
  const columns = useMemo(
    (): GridColumn[] =>
      given.map((column, index) => {
        const lengths = rows.slice(0, 50).map((row) => textOf(row[index]).length);
        return { key: column.name, ...column, width: usualWidth(column, lengths) };
      }),
    [given, rows],
  );
  const made = useMemo(
    () =>
      rows.map((row, index): GridRow => ({
        number: index + 1,
        values: Object.fromEntries(given.map(({ name }, at) => [name, row[at]])),
        cut: cut.flatMap(([at, column]) => (at === index && column !== undefined ? (given[column]?.name ?? []) : [])),
        problem: null,
        problemCode: null,
        problemParams: null,
        text: null,
      })),
    [given, rows, cut],
  );
  const nothing = useCallback(() => undefined, []);
  const opened = open === undefined ? undefined : made[open];
  if (rows.length === 0) return <Text c="dimmed">{t('viewer.query.noRows')}</Text>;
  return (
    <>
      <RowGrid
        label={t('viewer.query.result')}
        columns={columns}
        count={rows.length}
        lines={1}
        headHeight={headHeight}
        rowAt={(index) => made[index]}
        onRange={nothing}
        onOpen={setOpen}
        low
        head={(column, index) => (
          <div
            key={column.key}
            className="row-grid-cell grid-head-cell"
            role="columnheader"
            aria-colindex={index + 2}
            style={{ width: column.width }}
          >
            <span className="column-name" title={column.name}>
              {column.name}
            </span>
            <Text size="xs" c="dimmed" truncate title={column.type}>
              {column.type}
            </Text>
          </div>
        )}
      />
      <RowDrawer
        index={open}
        count={rows.length}
        row={
          opened === undefined
            ? undefined
            : { ...opened, row: opened.number - 1, line: null, cut: [...opened.cut], values: { ...opened.values } }
        }
        error={null}
        columns={given}
        onMove={setOpen}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeExact(value ?? null);
}

async function downloadResult(datasetId: string, version: number | undefined, body: QueryExport): Promise<void> {
  const bytes = await dataOf(
    api.POST('/api/v1/data-management/datasets/{datasetId}/query/export', {
      params: { path: { datasetId }, query: version === undefined ? {} : { version } },
      body,
      parseAs: 'blob',
    }),
  );
  saveBytes(bytes, `result.${body.format.toLowerCase()}`);
}
