import { MultiSelect, NumberInput, Select, Slider, TagsInput, Text, TextInput } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { useModels } from './embedding-model-select.tsx';
import { baseQuery, documentQuery, documentsQuery } from './rag-queries.ts';
import { mostNeighbours, type HitsSearch } from './rag-search.ts';
import { defaultTopK, listOf, vectorShare } from './search-request.ts';

type Props = {
  knowledgeBaseId: string;
  search: HitsSearch;
  onChange: (next: Partial<HitsSearch>) => void;
};

/** The number of hits, the minimum score, and the documents to search. */
export function SearchFilters({ knowledgeBaseId, search, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <div className="search-options">
      <NumberInput
        label={t('knowledge.search.topK')}
        value={search.topK ?? defaultTopK}
        min={1}
        max={200}
        allowDecimal={false}
        onChange={(value) =>
          typeof value === 'number' && value >= 1 && onChange({ topK: value === defaultTopK ? undefined : value })
        }
      />
      <ScoreSliders knowledgeBaseId={knowledgeBaseId} search={search} onChange={onChange} />
      <TagsInput
        label={t('knowledge.search.types')}
        placeholder={search.types === undefined ? 'pdf, md' : ''}
        value={listOf(search.types ?? '')}
        onChange={(next) => onChange({ types: next.join(',') || undefined })}
      />
      <TagsInput
        label={t('knowledge.search.tags')}
        value={listOf(search.tags ?? '')}
        onChange={(next) => onChange({ tags: next.join(',') || undefined })}
      />
      <DocumentsSelect
        knowledgeBaseId={knowledgeBaseId}
        value={listOf(search.documents ?? '')}
        onChange={(ids) => onChange({ documents: ids.join(',') || undefined })}
      />
      <TagsInput
        label={t('knowledge.search.metadata')}
        placeholder={search.metadata === undefined ? t('knowledge.search.metadataExample') : ''}
        value={listOf(search.metadata ?? '')}
        onChange={(next) => onChange({ metadata: next.filter((pair) => pair.indexOf('=') > 0).join(',') || undefined })}
      />
      <NumberInput
        label={t('knowledge.search.expand')}
        value={search.expand ?? 0}
        min={0}
        max={mostNeighbours}
        allowDecimal={false}
        onChange={(value) => typeof value === 'number' && onChange({ expand: value === 0 ? undefined : value })}
      />
      <RerankerSelect value={search.rerank} onChange={(rerank) => onChange({ rerank })} />
      <DatasetSelect value={search.dataset} onChange={(dataset) => onChange({ dataset })} />
      <TextInput
        type="date"
        label={t('knowledge.search.after')}
        value={search.after ?? ''}
        onChange={(event) => onChange({ after: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t('knowledge.search.before')}
        value={search.before ?? ''}
        onChange={(event) => onChange({ before: event.currentTarget.value || undefined })}
      />
    </div>
  );
}

/** The minimum score, and in hybrid searches the weight of meaning against words. */
function ScoreSliders({ knowledgeBaseId, search, onChange }: Props) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const usual = base === undefined ? undefined : vectorShare(base.hybridWeights);
  const { mode = 'HYBRID', vector = usual, minScore = 0 } = search;
  const percent = (value: number): string => formatCount(value, locale);
  return (
    <>
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
          onChangeEnd={(value) => onChange({ minScore: value === 0 ? undefined : value })}
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
            onChangeEnd={(value) => onChange({ vector: value === usual ? undefined : value })}
          />
        </div>
      )}
    </>
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

/** Rendered only if a reranker is configured. */
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
