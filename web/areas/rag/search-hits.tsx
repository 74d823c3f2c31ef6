import { Alert, Button, Skeleton, Text } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatDuration } from '../../ui/format.ts';
import { isIndexRebuilding, retryDelayMs, WaitingForIndex } from './index-rebuilding.tsx';
import { ragKeys } from './rag-queries.ts';
import type { HitsSearch } from './rag-search.ts';
import { SearchHit } from './search-hit.tsx';
import { NotYetHere } from './search-notices.tsx';
import { isWithoutWords, requestOf } from './search-request.ts';

/** Says what the page is waiting for, once it takes longer than a moment. */
function Searching() {
  const { t } = useTranslation();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 1_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Text size="sm" c="dimmed" mb="xs" role="status">
      {isLong && t('knowledge.search.searching')}
    </Text>
  );
}

/** The hits of a search, in order. */
export function SearchHits({ knowledgeBaseId, search }: { knowledgeBaseId: string; search: HitsSearch }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const request = requestOf(search);
  const found = useQuery({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'search', request],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/search', {
            params: { path: { knowledgeBaseId } },
            body: request,
            signal,
          }),
        )
      ).data,
    placeholderData: keepPreviousData,
    retry: (tries, error) =>
      isIndexRebuilding(error) || (tries < 2 && (!(error instanceof ApiError) || error.status >= 500)),
    retryDelay: (_tries, error) => retryDelayMs(error),
  });
  const isNarrowed = request.minScore !== undefined || request.filter !== undefined;
  if (found.isError) return <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />;
  if (isIndexRebuilding(found.failureReason))
    return <WaitingForIndex>{t('knowledge.search.indexRebuilding')}</WaitingForIndex>;
  if (found.data === undefined)
    return (
      <>
        <Searching />
        <Skeleton height={240} />
      </>
    );
  const { hits, tookMs, behind } = found.data;
  if (hits.length === 0)
    return (
      <>
        <NotYetHere documents={behind} />
        <EmptyState
          icon={IconSearch}
          title={t('knowledge.search.nothingTitle')}
          lead={t(isNarrowed ? 'knowledge.search.nothingNarrowed' : 'knowledge.search.nothingLead')}
          action={
            isNarrowed ? (
              <Button
                variant="light"
                onClick={() =>
                  void navigate({
                    to: '/knowledge/$knowledgeBaseId/search',
                    params: { knowledgeBaseId },
                    search: { q: search.q, mode: search.mode },
                  })
                }
              >
                {t('common.actions.clearFilters')}
              </Button>
            ) : undefined
          }
        />
      </>
    );
  return (
    <section aria-label={t('knowledge.search.hits')}>
      <NotYetHere documents={behind} />
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {t('knowledge.search.found', { count: hits.length, took: formatDuration(tookMs, locale) })}
      </Text>
      {found.isPlaceholderData && <Searching key={JSON.stringify(request)} />}
      {!found.isPlaceholderData && hits.every((hit) => isWithoutWords(hit, request)) && (
        <Alert color="orange" py="xs" mb="xs" role="status">
          {t('knowledge.search.noHitHasWord')}
        </Alert>
      )}
      <ol className="hit-list" data-stale={found.isPlaceholderData || undefined}>
        {hits.map((hit, index) => (
          <SearchHit
            key={hit.chunkId}
            knowledgeBaseId={knowledgeBaseId}
            hit={hit}
            place={index + 1}
            request={request}
          />
        ))}
      </ol>
    </section>
  );
}
