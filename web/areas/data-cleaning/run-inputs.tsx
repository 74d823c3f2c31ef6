import { Badge, Stack, Text } from '@mantine/core';
import { IconFiles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RunInput } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { cleaning } from '../../runs/run-area.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count } from '../../ui/figures.tsx';
import type { ListSearch } from '../../ui/list-search.ts';
import { Pager } from '../../ui/pager.tsx';
import { inputsQuery } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/inputs');

/** Only uncertain findings get a warning colour. */
const certaintyColors = { GIVEN: 'gray', LIKELY: 'blue', UNSURE: 'orange' } as const;

/** How the run read each file: format, compression, encoding, text columns, samples, or why it was skipped. */
export function RunInputs() {
  const { t } = useTranslation();
  const say = useSay();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const { page = 0, size = 50 } = route.useSearch();
  const run = useQuery(runQuery(cleaning, taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const inputs = useQuery({
    ...inputsQuery(taskId, runId, { page, size }),
    refetchInterval: isGoing ? 3_000 : false,
  });
  const columns: Column<RunInput>[] = [
    {
      key: 'file',
      header: t('cleaning.inputs.file'),
      cell: (input) => (
        <>
          <Text size="sm" className="wraps">
            {input.filePath}
          </Text>
          {input.skipped !== null && (
            <Text size="xs" c="dimmed">
              {t('cleaning.inputs.skipped', { reason: say(input, 'skipped') })}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'format',
      header: t('cleaning.inputs.format'),
      width: 120,
      from: 'sm',
      cell: ({ format, compression }) => [format, compression].filter((part) => part !== null).join(' · '),
    },
    {
      key: 'encoding',
      header: t('cleaning.inputs.encoding'),
      width: 210,
      from: 'sm',
      cell: ({ encoding, certainty }) => (
        <>
          {encoding?.toUpperCase()}{' '}
          {certainty !== null && certainty !== 'CERTAIN' && (
            <Badge
              size="sm"
              variant="light"
              color={certaintyColors[certainty]}
              className="status"
              title={t(`cleaning.inputs.certaintyHelp.${certainty}`)}
            >
              {t(`cleaning.inputs.certainty.${certainty}`)}
            </Badge>
          )}
        </>
      ),
    },
    {
      key: 'fields',
      header: t('cleaning.inputs.fields'),
      from: 'md',
      width: 200,
      cell: ({ fields }) => <code className="wraps">{fields?.join(', ')}</code>,
    },
    {
      key: 'samples',
      header: t('cleaning.inputs.samples'),
      align: 'right',
      width: 100,
      cell: ({ samples, skipped }) => (skipped === null ? <Count value={samples} /> : '–'),
    },
  ];
  const change = (search: ListSearch): void =>
    void navigate({ to: '/cleaning/$taskId/runs/$runId/inputs', params: { taskId, runId }, search, replace: true });
  if (inputs.isError) return <ErrorPanel error={inputs.error} onRetry={() => void inputs.refetch()} />;
  if (inputs.data?.content.length === 0)
    return <EmptyState icon={IconFiles} title={t('cleaning.inputs.empty')} lead={t('cleaning.inputs.emptyLead')} />;
  return (
    <Stack gap="sm">
      <DataTable
        label={t('cleaning.inputs.title')}
        columns={columns}
        rows={inputs.data?.content}
        idOf={({ filePath }) => filePath}
        stale={inputs.isPlaceholderData}
      />
      {inputs.data !== undefined && (
        <Pager {...inputs.data} onChange={(next) => change({ page: next.page, size: next.size })} />
      )}
    </Stack>
  );
}
