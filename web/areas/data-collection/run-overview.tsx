import { Anchor, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { collection } from '../../runs/run-area.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count } from '../../ui/figures.tsx';
import { Panel } from '../../ui/panel.tsx';

const route = getRouteApi('/shell/collection/$taskId/runs/$runId/');
const rows = [
  ['kept', 'KEPT'],
  ['dropped', 'DROPPED'],
  ['failed', 'FAILED'],
] as const;

/** What happened to the items that the source offered: each verdict with its meaning and a link to its items. */
export function RunOverview() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const run = useQuery(runQuery(collection, taskId, runId));
  if (run.isError) return <ErrorPanel error={run.error} onRetry={() => void run.refetch()} />;
  if (run.data === undefined) return <Skeleton height={160} />;
  const { counts } = run.data;
  return (
    <Panel title={t('collection.run.what')}>
      <div className="table-scroll" tabIndex={0}>
        <Table>
          <Table.Tbody>
            {rows.map(([name, verdict]) => (
              <Table.Tr key={name}>
                <Table.Td w={120} ta="right">
                  <Anchor
                    component={Link}
                    to={`/collection/${taskId}/runs/${runId}/samples?verdict=${verdict}`}
                    size="sm"
                    className="figure"
                  >
                    <Count value={counts[name]} />
                  </Anchor>
                </Table.Td>
                <Table.Td w={160}>{t(`collection.verdicts.${verdict}`)}</Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed">
                    {t(`collection.meaning.${verdict}`)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}
