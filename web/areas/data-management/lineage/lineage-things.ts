import { useTranslation } from 'react-i18next';
import type { DatasetLineage, LineageNode } from '../../../api/schema.ts';
import { areaOfRun } from '../../../runs/run-address.ts';
import type { TaskPages } from '../../../shell/area.ts';

/** Node kinds that runs use but do not read or write. */
const toolKinds: ReadonlySet<LineageNode['kind']> = new Set(['OPERATOR', 'MODEL', 'TEMPLATE']);

/** The graph without what runs merely use, except the root itself. */
export function withoutTools({ root, nodes, edges }: DatasetLineage): Pick<DatasetLineage, 'nodes' | 'edges'> {
  const kept = nodes.filter(({ id, kind }) => id === root || !toolKinds.has(kind));
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

/** The page of a node; undefined if it is gone or has none. */
export function addressOf(node: LineageNode, areas: readonly TaskPages[]): string | undefined {
  const { kind, refId, version, hidden, run } = node;
  if (hidden) return undefined;
  switch (kind) {
    case 'DATASET_VERSION':
      return `/datasets/${refId}?version=${version ?? ''}`;
    case 'QUERY':
      return undefined;
    case 'RUN': {
      const pages = run === undefined ? undefined : areaOfRun(run, areas);
      return run?.stored !== true || pages === undefined || pages.addressOf !== undefined
        ? undefined
        : `${pages.path}/${run.taskId}/runs/${refId}`;
    }
    case 'OPERATOR':
      return `/operators/${refId}`;
    case 'MODEL':
      return `/settings/models/${refId}`;
    case 'TEMPLATE':
      return `/synthesis/templates/${refId}`;
    case 'KNOWLEDGE_BASE':
      return `/knowledge/${refId}`;
    case 'CONNECTOR':
      return `/collection/new?connector=${refId}`;
  }
}

/** Labels nodes by their names and the numbers of their versions or runs. */
export function useNameOf(): (node: LineageNode) => string {
  const { t } = useTranslation();
  return ({ kind, name, version, run, hidden }) => {
    const shown = name ?? t(hidden ? 'viewer.lineage.deleted' : 'viewer.lineage.unnamed');
    if (kind === 'RUN') return run === undefined || run.number === 0 ? shown : `${shown} #${run.number}`;
    if (version === null) return shown;
    return kind === 'OPERATOR' ? `${shown} ${version}` : `${shown} · ${t('viewer.lineage.version', { version })}`;
  };
}
