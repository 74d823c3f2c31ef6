import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import type { EvaluatedSettings, EvaluationResult } from './evaluation.ts';
import { NotYetHere } from './search-notices.tsx';

const metrics = ['recall', 'mrr', 'ndcg'] as const;

/** Settings in a few words: `Both · 10 hits`. */
export function useSettingsWords(): (settings: EvaluatedSettings) => string {
  const { t } = useTranslation();
  const locale = useLocale();
  return ({ mode = 'HYBRID', topK = 10, weights, minScore, index }) =>
    [
      ...(index === undefined ? [] : [t(`knowledge.evaluate.indexes.${index}`)]),
      t(`knowledge.search.modes.${mode}`),
      t('knowledge.evaluate.hits', { count: topK, hits: formatCount(topK, locale) }),
      ...(weights === undefined
        ? []
        : [
            t('knowledge.search.weights', {
              vector: formatCount(weights.vector, locale),
              keyword: formatCount(weights.keyword, locale),
            }),
          ]),
      ...(minScore === undefined ? [] : [t('knowledge.evaluate.from', { score: minScore.toFixed(2) })]),
    ].join(' · ');
}

/** The results of the compared settings: a chart with intervals for each metric, and a table. */
export function EvaluationResults({ result }: { result: EvaluationResult }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const wordsOf = useSettingsWords();
  const figure = (value: number | undefined): string =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value ?? 0);
  const rows = result.results;
  return (
    <section className="panel" aria-label={t('knowledge.evaluate.results')}>
      <Text size="sm" c="dimmed" role="status">
        {t('knowledge.evaluate.asked', { count: result.questions, questions: formatCount(result.questions, locale) })}
      </Text>
      <NotYetHere documents={result.behind} />
      {result.chunksWithoutQuestion > 0 && (
        <Text size="xs" c="orange">
          {t('knowledge.evaluate.withoutQuestion', { count: result.chunksWithoutQuestion })}
        </Text>
      )}
      <div className="evaluation-charts">
        {metrics.map((metric) => (
          <figure key={metric} className="evaluation-chart">
            <figcaption>
              <Text span size="sm" fw={600}>
                {t(`knowledge.evaluate.metrics.${metric}`)}
              </Text>{' '}
              <Text span size="xs" c="dimmed">
                {t(`knowledge.evaluate.metricsHelp.${metric}`)}
              </Text>
            </figcaption>
            {rows.map((row, index) => {
              const [low = 0, high = 0] = row.intervals[metric];
              return (
                <div key={index} className="evaluation-row">
                  <Text size="xs" className="wraps">
                    {wordsOf(row.settings)}
                  </Text>
                  <div
                    className="evaluation-bar"
                    role="img"
                    aria-label={t('knowledge.evaluate.bar', {
                      settings: wordsOf(row.settings),
                      metric: t(`knowledge.evaluate.metrics.${metric}`),
                      value: figure(row[metric]),
                      low: figure(low),
                      high: figure(high),
                    })}
                  >
                    <div className="evaluation-value" style={{ width: `${100 * row[metric]}%` }} />
                    <div
                      className="evaluation-interval"
                      style={{ left: `${100 * low}%`, width: `${100 * Math.max(0, high - low)}%` }}
                    />
                  </div>
                  <Text size="xs" className="figure">
                    {figure(row[metric])}
                  </Text>
                </div>
              );
            })}
          </figure>
        ))}
      </div>
      <div className="table-scroll" tabIndex={0} role="group" aria-label={t('knowledge.evaluate.table')}>
        <table className="why-table">
          <thead>
            <tr>
              <th scope="col">{t('knowledge.evaluate.settings')}</th>
              {metrics.map((metric) => (
                <th key={metric} scope="col">
                  {t(`knowledge.evaluate.metrics.${metric}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{wordsOf(row.settings)}</th>
                {metrics.map((metric) => (
                  <td key={metric} className="figure">
                    {figure(row[metric])}{' '}
                    <Text span inherit c="dimmed">
                      ({figure(row.intervals[metric][0])}–{figure(row.intervals[metric][1])})
                    </Text>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="xs" c="dimmed">
        {t('knowledge.evaluate.intervals')}
      </Text>
      {rows.length > 1 && overlaps(rows) && (
        <Alert color="blue" py="xs" mt="xs">
          {t('knowledge.evaluate.undecided')}
        </Alert>
      )}
    </section>
  );
}

/** Whether no setting is clearly better than another by nDCG. */
function overlaps(rows: EvaluationResult['results']): boolean {
  const highestLow = Math.max(...rows.map(({ intervals }) => intervals.ndcg[0] ?? 0));
  return rows.every(({ intervals }) => (intervals.ndcg[1] ?? 0) >= highestLow);
}
