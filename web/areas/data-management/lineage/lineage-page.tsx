import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { lineageQuery } from './lineage-queries.ts';
import { usualDepth, type LineageSearch } from './lineage-search.ts';
import { LineageView, type LineageChange } from './lineage-view.tsx';

const route = getRouteApi('/shell/datasets/$datasetId/lineage');

/** Where a dataset comes from and where it was used, across all areas: as a graph or a list. */
export function LineagePage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { version, direction = 'BOTH', depth = usualDepth } = search;
  const lineage = useQuery(
    lineageQuery(datasetId, { direction, depth, ...(version === undefined ? {} : { version }) }),
  );
  const change = (next: LineageChange): void =>
    void navigate({
      to: '/datasets/$datasetId/lineage',
      params: { datasetId },
      search: (old: LineageSearch) => ({ ...old, ...next }),
      replace: true,
    });
  const empty = { title: t('viewer.lineage.emptyTitle'), lead: t('viewer.lineage.emptyLead') };
  return <LineageView lineage={lineage} search={search} onChange={change} empty={empty} />;
}
