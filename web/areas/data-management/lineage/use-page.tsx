import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../../ui/page.tsx';
import { usedInQuery } from './lineage-queries.ts';
import { usualDepth, type UseSearch } from './lineage-search.ts';
import { addressOf, useNameOf } from './lineage-things.ts';
import { LineageView, type LineageChange } from './lineage-view.tsx';

const route = getRouteApi('/shell/lineage');

/** What was made with an operator, a model or a knowledge base, and from what. */
export function UsePage() {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const navigate = useNavigate();
  const search = route.useSearch();
  const { kind, id, direction = 'BOTH', depth = usualDepth } = search;
  const lineage = useQuery(usedInQuery({ kind, id }, { direction, depth }));
  const root = lineage.data?.nodes.find((node) => node.id === lineage.data.root);
  const name = root === undefined ? id : nameOf(root);
  const address = root === undefined ? undefined : addressOf(root, []);
  const change = (next: LineageChange): void =>
    void navigate({ to: '/lineage', search: (old: UseSearch) => ({ ...old, ...next }), replace: true });
  const empty = { title: t('viewer.lineage.unusedTitle'), lead: t('viewer.lineage.unusedLead') };
  return (
    <Page
      title={t('viewer.lineage.usedIn', { name })}
      breadcrumbs={
        address !== undefined && (
          <Anchor component={Link} to={address} size="sm" data-verbatim>
            {name}
          </Anchor>
        )
      }
    >
      <LineageView lineage={lineage} search={search} onChange={change} empty={empty} />
    </Page>
  );
}
