import { Alert, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconBulb, IconHistory, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/errors.ts';
import type { DatasetTables } from '../../../api/schema.ts';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { useNow } from '../../../ui/figures.tsx';
import { readHistory, remember } from './query-history.ts';
import { QueryResults } from './query-results.tsx';
import { QueryTables, type RefusedFile } from './query-tables.tsx';
import { SqlEditor, type SqlPlace } from './sql-editor.tsx';
import { bestName, examplesFor, offsetOf } from './sql-words.ts';
import { lookQueries, tablesQuery } from './table-queries.ts';
import { useStatement } from './use-statement.ts';

const route = getRouteApi('/shell/datasets/$datasetId/query');
const longestAddress = 2_000;

/** Runs SQL statements over the tables of a dataset. */
export function QueryPage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { sql: given, version } = route.useSearch();
  const navigate = useNavigate();
  const tables = useQuery(tablesQuery(datasetId, version));
  const { known, refused } = useKnownTables(datasetId, version, tables.data?.tables);
  const [history, setHistory] = useState(() => readHistory(datasetId));
  const [written, setSql] = useState(given);
  const [first] = known;
  const sql = written ?? (first === undefined ? '' : `SELECT *\nFROM ${bestName(first)}\nLIMIT 100`);
  const statement = useStatement(datasetId, version);
  const problem = useMemo(() => placeOf(statement.error, statement.sql === sql ? sql : undefined), [statement, sql]);
  const run = (): void => {
    if (sql.trim() === '' || statement.isRunning) return;
    remember(datasetId, sql);
    setHistory(readHistory(datasetId));
    statement.run(sql);
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, sql: sql.length > longestAddress ? undefined : sql }),
      replace: true,
      resetScroll: false,
    });
  };
  if (tables.isError) return <ErrorPanel error={tables.error} onRetry={() => void tables.refetch()} />;
  return (
    <div className="query-page">
      <QueryTables
        tables={tables.data === undefined ? undefined : known}
        refused={refused}
        onInsert={(name) => setSql(`${sql}${/(^|\s)$/.test(sql) ? '' : ' '}${name}`)}
      />
      <Stack gap="xs" miw={0}>
        <SqlEditor value={sql} tables={known} problem={problem} onChange={setSql} onRun={run} />
        <Group gap="xs">
          {statement.isRunning ? (
            <Button size="xs" color="red" leftSection={<IconPlayerStop size={14} />} onClick={statement.cancel}>
              {t('viewer.query.cancel')}
            </Button>
          ) : (
            <Button
              size="xs"
              leftSection={<IconPlayerPlay size={14} />}
              title={t('viewer.query.runKey')}
              disabled={sql.trim() === ''}
              onClick={run}
            >
              {t('viewer.query.run')}
            </Button>
          )}
          {first !== undefined && (
            <Menu position="bottom-start" withinPortal>
              <Menu.Target>
                <Button size="xs" variant="default" leftSection={<IconBulb size={14} />}>
                  {t('viewer.query.examples')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {examplesFor(first).map(({ key, sql: example }) => (
                  <Menu.Item key={key} onClick={() => setSql(example)}>
                    {t(`viewer.query.example.${key}`)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          <Menu position="bottom-start" withinPortal>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconHistory size={14} />}
                disabled={history.length === 0}
              >
                {t('viewer.query.history')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah="50vh" style={{ overflowY: 'auto' }}>
              {history.map((one) => (
                <Menu.Item key={one} onClick={() => setSql(one)}>
                  <span className="history-item" title={one}>
                    {one.replaceAll(/\s+/g, ' ')}
                  </span>
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          {statement.isRunning && <Running since={statement.startedAt} isAwaited={statement.isAwaited} />}
        </Group>
        {statement.wasCancelled && (
          <Text size="sm" c="dimmed" role="status">
            {t('viewer.query.cancelled')}
          </Text>
        )}
        {statement.error !== undefined && <ErrorPanel error={statement.error} title={t('viewer.query.failed')} />}
        {statement.result !== undefined && (
          <QueryResults
            datasetId={datasetId}
            version={version}
            sql={statement.sql}
            result={statement.result}
            statement={statement}
          />
        )}
        {tables.data !== undefined && known.length === 0 && (
          <Alert color="blue" title={t('viewer.query.noTables')}>
            {t('viewer.query.noTablesLead')}
          </Alert>
        )}
      </Stack>
    </div>
  );
}

/** The tables that can be named, and the files that turned out not to be tables. */
function useKnownTables(
  datasetId: string,
  version: number | undefined,
  listed: DatasetTables['tables'] | undefined,
): { known: DatasetTables['tables']; refused: RefusedFile[] } {
  const { t } = useTranslation();
  const all = listed ?? [];
  const looks = useQueries({ queries: lookQueries(datasetId, version, all) });
  const refused = looks.flatMap(({ data }) => {
    const table = all.find(({ fileId, sheet }) => fileId === data?.fileId && sheet === data.sheet);
    return data === undefined || data === null || table === undefined
      ? []
      : [{ table, reason: messageOf(data.error, t) }];
  });
  return {
    known: all.filter((table) => refused.every((one) => one.table !== table)),
    refused: refused.map(({ table: { fileId, sheet, filePath }, reason }) => ({
      fileId,
      filePath,
      reason,
      ...(sheet === undefined ? {} : { sheet }),
    })),
  };
}

function Running({ since, isAwaited }: { since: number; isAwaited: boolean }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const seconds = Math.max(0, Math.round((now.getTime() - since) / 1_000));
  return (
    <Text size="xs" c="dimmed" role="status" className="figure">
      {t(isAwaited ? 'viewer.query.awaited' : 'viewer.query.running', { count: seconds })}
    </Text>
  );
}

/** The part of the statement that the service found wrong: from its position to the end of the word. */
function placeOf(error: unknown, sql: string | undefined): SqlPlace | undefined {
  if (sql === undefined || !(error instanceof ApiError)) return undefined;
  const { line, column } = (error.sentence?.params ?? {}) as { line?: unknown; column?: unknown };
  if (typeof line !== 'number' || typeof column !== 'number') return undefined;
  const start = offsetOf(sql, line, column);
  const word = /^(?:"[^"]*"|[\p{L}\p{N}_.]+|\S)/u.exec(sql.slice(start))?.[0] ?? '';
  return { start, end: start + word.length };
}
