import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetLineage, LineageEdge, LineageNode } from '../../../api/schema.ts';
import { useAreas } from '../../../shell/area.ts';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { Ago, Count } from '../../../ui/figures.tsx';
import { addressOf, useNameOf } from './lineage-things.ts';

/** The graph's content as a list, run by run: what each has read, used and written. */
export function LineageList({ nodes, edges }: Pick<DatasetLineage, 'nodes' | 'edges'>) {
  const { t } = useTranslation();
  const known = new Map(nodes.map((node) => [node.id, node]));
  const of = (id: string, end: 'from' | 'to', kinds: readonly LineageEdge['kind'][]): LineageNode[] =>
    edges.flatMap((edge) => {
      const other = edge[end === 'from' ? 'to' : 'from'];
      return edge[end] === id && kinds.includes(edge.kind) ? (known.get(other) ?? []) : [];
    });
  const rows = nodes
    .filter(({ kind }) => kind === 'RUN' || kind === 'QUERY' || kind === 'KNOWLEDGE_BASE')
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const columns: Column<LineageNode>[] = [
    {
      key: 'read',
      header: t('viewer.lineage.read'),
      cell: ({ id }) => <Things nodes={of(id, 'to', ['READ', 'COMPARED', 'INDEXED'])} />,
    },
    { key: 'run', header: t('viewer.lineage.by'), cell: (node) => <Things nodes={[node]} /> },
    {
      key: 'used',
      header: t('viewer.lineage.used'),
      from: 'sm',
      cell: ({ id }) => <Things nodes={of(id, 'to', ['USED'])} />,
    },
    { key: 'wrote', header: t('viewer.lineage.wrote'), cell: ({ id }) => <Things nodes={of(id, 'from', ['WROTE'])} /> },
    {
      key: 'kept',
      header: t('viewer.lineage.kept'),
      align: 'right',
      width: 100,
      from: 'md',
      cell: ({ run }) => run !== undefined && <Count value={run.counts.kept} />,
    },
    {
      key: 'when',
      header: t('viewer.lineage.when'),
      width: 130,
      from: 'md',
      cell: (node) => timeOf(node) !== '' && <Ago time={timeOf(node)} />,
    },
  ];
  return <DataTable label={t('viewer.lineage.list')} columns={columns} rows={rows} idOf={({ id }) => id} />;
}

/** When a run or a query ended; knowledge bases have no time. */
const timeOf = ({ run, query }: LineageNode): string => run?.finishedAt ?? query?.createdAt ?? '';

function Things({ nodes }: { nodes: readonly LineageNode[] }) {
  const nameOf = useNameOf();
  const areas = useAreas().flatMap(({ tasks }) => tasks ?? []);
  return (
    <Text size="sm" component="div" className="wraps">
      {nodes.map((node, index) => {
        const address = addressOf(node, areas);
        return (
          <Fragment key={node.id}>
            {index > 0 && ', '}
            {address === undefined ? nameOf(node) : <Link to={address}>{nameOf(node)}</Link>}
          </Fragment>
        );
      })}
    </Text>
  );
}
