import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Skeleton,
  Slider,
  Stack,
  TagsInput,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconFiles, IconLoader, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { useModels } from './embedding-model-select.tsx';
import { baseQuery, countUnderWay, documentQuery, documentsQuery, ragKeys } from './rag-queries.ts';
import { mostNeighbours, searchModes, type HitsSearch } from './rag-search.ts';
import { SearchHit } from './search-hit.tsx';
import { isIndexRebuilding, retryDelayMs, WaitingForIndex } from './index-rebuilding.tsx';
import { defaultTopK, isWithoutWords, listOf, requestOf, vectorShare } from './search-request.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/search');
const optionNames = [
  'topK',
  'minScore',
  'types',
  'tags',
  'dataset',
  'documents',
  'metadata',
  'expand',
  'rerank',
  'after',
  'before',
] as const;

/** Asks a knowledge base: by meaning, by words or both; hits with scores, highlights, and why they were found. */
export function SearchTab() {
  const { knowledgeBaseId } = route.useParams();
  const search = route.useSearch();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  return (
    <Stack gap="sm">
      <SearchForm key={knowledgeBaseId} knowledgeBaseId={knowledgeBaseId} />
      <StillProcessed knowledgeBaseId={knowledgeBaseId} />
      {base?.chunkCount === 0 && countUnderWay(base) === 0 ? (
        <NothingToSearch knowledgeBaseId={knowledgeBaseId} />
      ) : (
        search.q !== undefined && <Hits knowledgeBaseId={knowledgeBaseId} search={search} />
      )}
    </Stack>
  );
}

/** Nothing of documents that are still processed is found: whoever searches has to know. */
export function StillProcessed({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const left = base === undefined ? 0 : countUnderWay(base);
  if (left === 0) return null;
  return (
    <Alert color="blue" py="xs" icon={<IconLoader />} role="status">
      {t('knowledge.search.stillProcessed', { count: left, documents: formatCount(left, locale) })}
    </Alert>
  );
}

/** Other nodes find more than the one that answered. */
export function NotYetHere({ documents }: { documents: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  if (documents === 0) return null;
  return (
    <Alert color="yellow" py="xs" icon={<IconLoader />} role="status">
      {t('knowledge.search.notYetHere', { count: documents, documents: formatCount(documents, locale) })}
    </Alert>
  );
}

export function NothingToSearch({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconFiles}
      title={t('knowledge.search.emptyTitle')}
      lead={t('knowledge.search.emptyLead')}
      action={
        <Anchor component={Link} to="/knowledge/$knowledgeBaseId" params={{ knowledgeBaseId } as never} size="sm">
          {t('knowledge.search.toDocuments')}
        </Anchor>
      }
    />
  );
}

function SearchForm({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const search = route.useSearch();
  const [query, setQuery] = useState(search.q ?? '');
  const [isOpen, setOpen] = useState(optionNames.some((name) => search[name] !== undefined));
  const shown = useRef(search.q);
  // Another search by the address, such as by Back.
  useEffect(() => {
    if (search.q !== shown.current) setQuery(search.q ?? '');
    shown.current = search.q;
  }, [search.q]);
  const change = (next: Partial<HitsSearch>): void =>
    void navigate({
      to: '/knowledge/$knowledgeBaseId/search',
      params: { knowledgeBaseId },
      search: (old: HitsSearch) => ({ ...old, ...next }),
      replace: next.q === undefined,
    });
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const usual = base === undefined ? undefined : vectorShare(base.hybridWeights);
  const { mode = 'HYBRID', vector = usual, minScore = 0 } = search;
  const percent = (value: number): string => formatCount(value, locale);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <form
      role="search"
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        shown.current = query.trim() || undefined;
        change({ q: query.trim() || undefined });
      }}
    >
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            aria-label={t('knowledge.search.query')}
            placeholder={t('knowledge.search.placeholder')}
            leftSection={<IconSearch size={16} />}
            value={query}
            maxLength={4000}
            onChange={(event) => setQuery(event.currentTarget.value)}
            className="grows"
          />
          <Button type="submit" disabled={query.trim() === ''}>
            {t('knowledge.tabs.search')}
          </Button>
        </Group>
        <Group gap="md">
          <SegmentedControl
            size="xs"
            aria-label={t('knowledge.search.mode')}
            data={searchModes.map((value) => ({ value, label: t(`knowledge.search.modes.${value}`) }))}
            value={mode}
            onChange={(next) => change({ mode: next === 'HYBRID' ? undefined : next })}
          />
          <UnstyledButton className="fold-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Chevron size={14} aria-hidden /> {t('knowledge.search.more')}
          </UnstyledButton>
        </Group>
        <Collapse expanded={isOpen}>
          <div className="search-options">
            <NumberInput
              label={t('knowledge.search.topK')}
              value={search.topK ?? defaultTopK}
              min={1}
              max={200}
              allowDecimal={false}
              onChange={(value) =>
                typeof value === 'number' && value >= 1 && change({ topK: value === defaultTopK ? undefined : value })
              }
            />
            <div>
              <Text size="sm" fw={500} mb={8}>
                {t('knowledge.search.minScore')}: <span className="figure">{minScore.toFixed(2)}</span>
              </Text>
              <Slider
                thumbLabel={t('knowledge.search.minScore')}
                min={0}
                max={1}
                step={0.01}
                label={null}
                defaultValue={minScore}
                key={`minScore ${minScore}`}
                onChangeEnd={(value) => change({ minScore: value === 0 ? undefined : value })}
              />
            </div>
            {mode === 'HYBRID' && vector !== undefined && (
              <div>
                <Text size="sm" fw={500} mb={8}>
                  {t('knowledge.search.weights', { vector: percent(vector), keyword: percent(100 - vector) })}
                </Text>
                <Slider
                  thumbLabel={t('knowledge.search.weight')}
                  min={0}
                  max={100}
                  step={5}
                  label={null}
                  defaultValue={vector}
                  key={`vector ${vector}`}
                  onChangeEnd={(value) => change({ vector: value === usual ? undefined : value })}
                />
              </div>
            )}
            <TagsInput
              label={t('knowledge.search.types')}
              placeholder={search.types === undefined ? 'pdf, md' : ''}
              value={listOf(search.types ?? '')}
              onChange={(next) => change({ types: next.join(',') || undefined })}
            />
            <TagsInput
              label={t('knowledge.search.tags')}
              value={listOf(search.tags ?? '')}
              onChange={(next) => change({ tags: next.join(',') || undefined })}
            />
            <DocumentsSelect
              knowledgeBaseId={knowledgeBaseId}
              value={listOf(search.documents ?? '')}
              onChange={(ids) => change({ documents: ids.join(',') || undefined })}
            />
            <TagsInput
              label={t('knowledge.search.metadata')}
              placeholder={search.metadata === undefined ? t('knowledge.search.metadataExample') : ''}
              value={listOf(search.metadata ?? '')}
              onChange={(next) =>
                change({ metadata: next.filter((pair) => pair.indexOf('=') > 0).join(',') || undefined })
              }
            />
            <NumberInput
              label={t('knowledge.search.expand')}
              value={search.expand ?? 0}
              min={0}
              max={mostNeighbours}
              allowDecimal={false}
              onChange={(value) => typeof value === 'number' && change({ expand: value === 0 ? undefined : value })}
            />
            <RerankerSelect value={search.rerank} onChange={(rerank) => change({ rerank })} />
            <DatasetSelect value={search.dataset} onChange={(dataset) => change({ dataset })} />
            <TextInput
              type="date"
              label={t('knowledge.search.after')}
              value={search.after ?? ''}
              onChange={(event) => change({ after: event.currentTarget.value || undefined })}
            />
            <TextInput
              type="date"
              label={t('knowledge.search.before')}
              value={search.before ?? ''}
              onChange={(event) => change({ before: event.currentTarget.value || undefined })}
            />
          </div>
        </Collapse>
      </Stack>
    </form>
  );
}

function DocumentsSelect(props: {
  knowledgeBaseId: string;
  value: string[];
  onChange: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const { knowledgeBaseId, value } = props;
  const [keyword, setKeyword] = useState('');
  const found = useQuery(
    documentsQuery(knowledgeBaseId, { size: 50, ...(keyword.trim() === '' ? {} : { keyword: keyword.trim() }) }),
  );
  const chosen = useQueries({ queries: value.map((id) => documentQuery(knowledgeBaseId, id)) });
  const names = new Map(value.map((id, at) => [id, chosen[at]?.data?.name ?? id]));
  for (const { id, name } of found.data?.content ?? []) names.set(id, name);
  return (
    <MultiSelect
      label={t('knowledge.search.documents')}
      placeholder={value.length === 0 ? t('knowledge.search.anyDocument') : ''}
      data={Array.from(names, ([id, name]) => ({ value: id, label: name }))}
      value={value}
      searchable
      clearable
      nothingFoundMessage={t('common.list.nothingFound')}
      searchValue={keyword}
      onSearchChange={setKeyword}
      onChange={props.onChange}
    />
  );
}

/** Only where a reranker is set up. */
function RerankerSelect(props: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { t } = useTranslation();
  const models = useModels('RERANKER');
  if (models.data === undefined || models.data.length === 0) return null;
  return (
    <Select
      label={t('knowledge.search.rerank')}
      placeholder={t('knowledge.search.noRerank')}
      data={models.data.map(({ id, name }) => ({ value: id, label: name }))}
      value={props.value ?? null}
      clearable
      onChange={(id) => props.onChange(id ?? undefined)}
    />
  );
}

function DatasetSelect(props: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { t } = useTranslation();
  const datasets = useQuery(datasetsQuery({ size: 200, sort: 'name,asc' }));
  return (
    <Select
      label={t('knowledge.fromDataset.dataset')}
      placeholder={t('knowledge.search.anyDataset')}
      data={(datasets.data?.content ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={props.value ?? null}
      searchable
      clearable
      onChange={(id) => props.onChange(id ?? undefined)}
    />
  );
}

/** Says what is waited for, once it takes longer than a moment. */
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

function Hits({ knowledgeBaseId, search }: { knowledgeBaseId: string; search: HitsSearch }) {
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
