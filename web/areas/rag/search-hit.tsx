import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RagChunk, RagHit, RagSearch } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { MarkedText } from '../../ui/marked-text.tsx';
import { PlaceLink } from './place-link.tsx';
import { baseQuery } from './rag-queries.ts';
import { fusionParts, isWithoutWords } from './search-request.ts';

/** A hit: its place, its score, its text with the words of the query marked, and why it was found. */
export function SearchHit(props: { knowledgeBaseId: string; hit: RagHit; place: number; request: RagSearch }) {
  const { t } = useTranslation();
  const { knowledgeBaseId, hit, place, request } = props;
  const [isWhole, setWhole] = useState(false);
  const [isExplained, setExplained] = useState(false);
  const { neighbours = [] } = hit;
  const isLong = [hit, ...neighbours].reduce((sum, { text }) => sum + [...text].length, 0) > 420;
  const figure = useFigure();
  return (
    <li className="panel">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div className="recent-name">
          <Text size="sm" fw={600} component="h3" className="wraps">
            <Text span inherit c="dimmed" fw={400} className="figure">
              {place}.
            </Text>{' '}
            <PlaceLink knowledgeBaseId={knowledgeBaseId} place={hit}>
              {hit.documentName}
            </PlaceLink>
          </Text>
          <Text size="xs" c="dimmed" className="wraps">
            {[...(hit.page === null ? [] : [t('knowledge.page', { page: hit.page })]), ...hit.headings].join(' › ')}
          </Text>
        </div>
        <Score value={hit.score} />
      </Group>
      <div className={isLong && !isWhole ? 'hit-text clipped' : 'hit-text'}>
        <Neighbours chunks={neighbours.filter(({ start }) => start < hit.start)} />
        <MarkedText text={hit.text} marks={hit.highlights} />
        <Neighbours chunks={neighbours.filter(({ start }) => start >= hit.start)} />
      </div>
      <Group gap="xs" mt={6}>
        {isLong && (
          <Button size="compact-xs" variant="subtle" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {t(isWhole ? 'knowledge.search.less' : 'knowledge.search.whole')}
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-expanded={isExplained}
          onClick={() => setExplained(!isExplained)}
        >
          {t('knowledge.search.why')}
        </Button>
        {hit.scores.vector !== null && (
          <Badge variant="light" color="blue" className="status">
            {t('knowledge.search.byVector')} {figure(hit.scores.vector)}
          </Badge>
        )}
        {hit.scores.rerank !== null && (
          <Badge variant="light" color="grape" className="status">
            {t('knowledge.search.byReranker')} {figure(hit.scores.rerank)}
          </Badge>
        )}
        {hit.scores.keyword !== null && (
          <Badge variant="light" color="green" className="status">
            {t('knowledge.search.byKeyword')} {figure(hit.scores.keyword)}
          </Badge>
        )}
      </Group>
      {isWithoutWords(hit, request) && (
        <Text size="xs" c="orange" mt={4}>
          {t('knowledge.search.noWord')}
        </Text>
      )}
      {isExplained && <Explanation knowledgeBaseId={knowledgeBaseId} hit={hit} request={request} />}
    </li>
  );
}

/** The chunks before and after a hit. */
function Neighbours({ chunks }: { chunks: readonly RagChunk[] }) {
  return chunks.map(({ chunkId, text }) => (
    <Text key={chunkId} size="sm" c="dimmed" className="wraps">
      {text}
    </Text>
  ));
}

/** Formats a score with two digits. */
function useFigure(): (value: number) => string {
  const locale = useLocale();
  return (value) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
}

function Score({ value }: { value: number }) {
  const { t } = useTranslation();
  const figure = useFigure();
  return (
    <div className="hit-score">
      <Text size="sm" fw={600} className="figure" title={String(value)}>
        <span className="sr-only">{t('knowledge.search.score')} </span>
        {figure(value)}
      </Text>
      <div className="share-bar" aria-hidden>
        <div style={{ width: `${100 * value}%`, background: 'var(--mantine-primary-color-filled)' }} />
      </div>
    </div>
  );
}

/** How the score was computed: the rank and score in each list, and how the lists were fused. */
function Explanation(props: { knowledgeBaseId: string; hit: RagHit; request: RagSearch }) {
  const { knowledgeBaseId, hit, request } = props;
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const { t } = useTranslation();
  const figure = useFigure();
  const { mode = 'HYBRID', weights = base?.hybridWeights } = request;
  const { scores, ranks } = hit;
  if (weights === undefined) return null;
  const parts = fusionParts(ranks, weights);
  const row = (name: 'vector' | 'keyword') => {
    const [score, rank] = [scores[name], ranks[name]];
    return (
      <tr>
        <th scope="row">{t(name === 'vector' ? 'knowledge.search.meaning' : 'knowledge.search.words')}</th>
        <td>
          {score === null || rank === null
            ? t('knowledge.search.notInList')
            : t(name === 'vector' ? 'knowledge.search.cosine' : 'knowledge.search.bm25', { score: figure(score) })}
        </td>
        <td>{rank === null ? '–' : t('knowledge.search.rank', { rank })}</td>
        {mode === 'HYBRID' && <td className="figure">{figure(parts[name])}</td>}
      </tr>
    );
  };
  return (
    <div className="table-scroll">
      <table className="why-table">
        <thead>
          <tr>
            <th scope="col">{t('knowledge.search.list')}</th>
            <th scope="col">{t('knowledge.search.itsScore')}</th>
            <th scope="col">{t('knowledge.search.itsRank')}</th>
            {mode === 'HYBRID' && <th scope="col">{t('knowledge.search.itsPart')}</th>}
          </tr>
        </thead>
        <tbody>
          {mode !== 'KEYWORD' && row('vector')}
          {mode !== 'VECTOR' && row('keyword')}
        </tbody>
      </table>
      <Text size="xs" c="dimmed">
        {t(`knowledge.search.formula.${mode}`, {
          vector: figure(parts.vector),
          keyword: figure(parts.keyword),
          score: figure(hit.score),
        })}
      </Text>
    </div>
  );
}
