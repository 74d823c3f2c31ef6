import { Group, SegmentedControl, Select, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Chunking } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { ChunkedText } from './chunked-text.tsx';
import { chunkingProblem } from './chunking-fields.tsx';
import { textQuery } from './document-text-queries.ts';
import { documentsQuery, ragKeys } from './rag-queries.ts';
import { binsOf } from './size-histogram.ts';

/** A call waits this long for the slider to rest. */
const restMs = 250;
const shownCharacters = 8_000;
const mostCharacters = 200_000;
const mostBins = 30;

/** How a text would be split: a document of the knowledge base, or pasted text. Stores nothing. */
export function ChunkingPreview({ knowledgeBaseId, chunking }: { knowledgeBaseId: string; chunking: Chunking }) {
  const { t } = useTranslation();
  const [of, setOf] = useState<'document' | 'text'>('document');
  const [pasted, setPasted] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [keyword, setKeyword] = useState('');
  const [wanted] = useDebouncedValue(keyword.trim(), restMs);
  const [settled] = useDebouncedValue({ chunking, pasted }, restMs);
  const documents = useQuery(
    documentsQuery(knowledgeBaseId, { size: 50, ...(wanted === '' ? {} : { keyword: wanted }) }),
  );
  const withText = (documents.data?.content ?? []).filter(({ receipt }) => (receipt?.characters ?? 0) > 0);
  const document = withText.find(({ id }) => id === chosen) ?? withText[0];
  const documentId = chosen ?? document?.id;
  const subject = of === 'text' ? { text: settled.pasted.slice(0, mostCharacters) } : { documentId };
  const isReady =
    (of === 'text' ? settled.pasted !== '' : documentId !== undefined) &&
    chunkingProblem(settled.chunking) === undefined;
  const preview = useQuery({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'preview', settled.chunking, subject],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/chunking/preview', {
            params: { path: { knowledgeBaseId } },
            body: { chunking: settled.chunking, ...subject },
            signal,
          }),
        )
      ).data,
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('knowledge.preview.of')}
          data={[
            { value: 'document', label: t('knowledge.preview.document') },
            { value: 'text', label: t('knowledge.preview.pasted') },
          ]}
          value={of}
          onChange={(next) => setOf(next)}
        />
        {of === 'document' && (
          <Select
            size="xs"
            aria-label={t('knowledge.columns.document')}
            placeholder={t('knowledge.preview.choose')}
            data={withText.map(({ id, name }) => ({ value: id, label: name }))}
            value={documentId ?? null}
            searchable
            allowDeselect={false}
            filter={({ options }) => options}
            onSearchChange={(next) => setKeyword(withText.some(({ name }) => name === next) ? '' : next)}
            nothingFoundMessage={t('common.list.nothingFound')}
            onChange={(id) => setChosen(id ?? undefined)}
            className="grows"
          />
        )}
      </Group>
      {of === 'text' && (
        <Textarea
          aria-label={t('knowledge.preview.pasted')}
          placeholder={t('knowledge.preview.placeholder')}
          autosize
          minRows={4}
          maxRows={8}
          maxLength={mostCharacters}
          value={pasted}
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
      )}
      {!isReady ? (
        <Text size="sm" c="dimmed">
          {t(of === 'text' ? 'knowledge.preview.paste' : 'knowledge.preview.noDocument')}
        </Text>
      ) : preview.isError ? (
        <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
      ) : preview.data === undefined ? (
        <Skeleton height={260} />
      ) : (
        <div data-stale={preview.isPlaceholderData || undefined} className="chunking-preview">
          <Sizes sizes={preview.data.chunks.map(({ start, end }) => end - start)} total={preview.data.totalChunks} />
          {of === 'text' ? (
            <Cuts text={[...settled.pasted].slice(0, shownCharacters).join('')} chunks={preview.data.chunks} />
          ) : (
            documentId !== undefined && (
              <DocumentCuts
                knowledgeBaseId={knowledgeBaseId}
                documentId={documentId}
                made={document?.finishedAt ?? ''}
                chunks={preview.data.chunks}
              />
            )
          )}
        </div>
      )}
    </Stack>
  );
}

type Range = { start: number; end: number };

function DocumentCuts(props: { knowledgeBaseId: string; documentId: string; made: string; chunks: readonly Range[] }) {
  const { knowledgeBaseId, documentId, made, chunks } = props;
  const text = useQuery(textQuery(knowledgeBaseId, documentId, made, { start: 0, end: shownCharacters }));
  if (text.isError) return <ErrorPanel error={text.error} onRetry={() => void text.refetch()} />;
  return text.data === undefined ? <Skeleton height={200} /> : <Cuts text={text.data} chunks={chunks} />;
}

/** The beginning of the text with its chunk boundaries. */
function Cuts({ text, chunks }: { text: string; chunks: readonly Range[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const length = [...text].length;
  return (
    <>
      <div className="chunked-text preview-text" role="group" tabIndex={0} aria-label={t('knowledge.preview.cuts')}>
        <ChunkedText text={text} range={{ start: 0, end: length }} chunks={chunks} />
      </div>
      {length >= shownCharacters && (
        <Text size="xs" c="dimmed">
          {t('knowledge.preview.onlyFirst', { shown: formatCount(shownCharacters, locale) })}
        </Text>
      )}
    </>
  );
}

/** How many chunks there are, and how large. */
function Sizes({ sizes, total }: { sizes: readonly number[]; total: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const bins = binsOf(sizes, mostBins);
  const highest = Math.max(1, ...bins.map(({ count }) => count));
  const sorted = sizes.toSorted((one, other) => one - other);
  const figure = (value: number | undefined): string => formatCount(value ?? 0, locale);
  return (
    <div>
      <Text size="sm" role="status">
        {t('knowledge.preview.chunks', { count: total, chunks: figure(total) })}
        {sizes.length > 0 && (
          <Text span inherit c="dimmed">
            {' · '}
            {t('knowledge.preview.sizes', {
              smallest: figure(sorted[0]),
              median: figure(sorted[Math.floor(sorted.length / 2)]),
              largest: figure(sorted.at(-1)),
            })}
          </Text>
        )}
      </Text>
      {bins.length > 0 && (
        <figure className="size-histogram">
          <div className="profile-bars" role="img" aria-label={t('knowledge.preview.histogram')}>
            {bins.map(({ from, to, count }) => (
              <div
                key={from}
                className="profile-bar"
                title={t('knowledge.preview.bin', { from: figure(from + 1), to: figure(to), count })}
              >
                <span style={{ height: count === 0 ? 0 : `max(2px, ${(100 * count) / highest}%)` }} />
              </div>
            ))}
          </div>
          <figcaption className="profile-quantiles">
            <span>0</span>
            <span>{t('knowledge.preview.axis')}</span>
            <span className="figure">{figure(bins.at(-1)?.to)}</span>
          </figcaption>
        </figure>
      )}
      {total > sizes.length && (
        <Text size="xs" c="dimmed">
          {t('knowledge.preview.onlyChunks', { shown: figure(sizes.length) })}
        </Text>
      )}
    </div>
  );
}
