import { Anchor } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { UsedInLink } from '../../ui/used-in-link.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { BaseState } from './knowledge-base-state.tsx';
import { baseQuery } from './rag-queries.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId');
const allTabs = ['documents', 'search', 'answer', 'evaluate', 'settings'] as const;
/** The tabs available to a VIEWER. */
const viewerTabs = ['documents', 'search', 'settings'] as const;

/** The header above every tab of a knowledge base: its name, current activity and size. */
export function KnowledgeBasePage() {
  const { t } = useTranslation();
  const locale = useLocale();
  const { knowledgeBaseId } = route.useParams();
  const base = useQuery(baseQuery(knowledgeBaseId));
  const mayEdit = useMayEdit();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const address = `/knowledge/${knowledgeBaseId}`;
  const rest = path.slice(address.length + 1).split('/')[0];
  if (base.isError) return <ErrorPanel error={base.error} onRetry={() => void base.refetch()} />;
  const data = base.data;
  // A document gets the whole page, for its source and text side by side.
  if (rest === 'documents') return <Outlet />;
  const tabs: readonly (typeof allTabs)[number][] = mayEdit ? allTabs : viewerTabs;
  const tab = allTabs.find((one) => one === rest) ?? 'documents';
  return (
    <Page
      compact
      title={data?.name}
      section={t(`knowledge.tabs.${tab}`)}
      breadcrumbs={
        <Anchor component={Link} to="/knowledge" size="sm" className="wide-only">
          {t('knowledge.title')}
        </Anchor>
      }
      lead={
        data !== undefined && (
          <>
            <BaseState base={data} />
            <span>
              {t('knowledge.documentCount', {
                count: data.documentCount,
                documents: formatCount(data.documentCount, locale),
              })}
            </span>
            <span>
              {t('knowledge.chunkCount', { count: data.chunkCount, chunks: formatCount(data.chunkCount, locale) })}
            </span>
            <UsedInLink kind="KNOWLEDGE_BASE" id={data.id} />
          </>
        )
      }
    >
      <LinkTabs
        label={data?.name ?? ''}
        value={tab}
        tabs={tabs.map((value) => ({
          value,
          label: t(`knowledge.tabs.${value}`),
          to: value === 'documents' ? address : `${address}/${value}`,
        }))}
      />
      {tabs.some((one) => one === tab) ? (
        <Outlet />
      ) : (
        <EmptyState
          icon={IconLock}
          title={t('knowledge.editorOnly.title')}
          lead={t('knowledge.editorOnly.lead')}
          action={
            <Anchor component={Link} to={`${address}/search`} size="sm">
              {t('knowledge.editorOnly.search')}
            </Anchor>
          }
        />
      )}
    </Page>
  );
}
