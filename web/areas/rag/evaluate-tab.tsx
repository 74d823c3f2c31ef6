import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBase, RagEvaluation } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EvaluationQuestions, firstQuestions, type Questions } from './evaluation-questions.tsx';
import { EvaluationResults } from './evaluation-results.tsx';
import { EvaluationSettings } from './evaluation-settings.tsx';
import { evaluate, firstSettings, type EvaluatedSettings, type EvaluationResult } from './evaluation.ts';
import { isIndexRebuilding, retryDelayMs, WaitingForIndex } from './index-rebuilding.tsx';
import { baseQuery, countUnderWay } from './rag-queries.ts';
import { NothingToSearch, StillProcessed } from './search-notices.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/evaluate');

type Draft = { questions: Questions; settings?: EvaluatedSettings[]; result?: EvaluationResult };

/** Inputs and results per knowledge base, kept while the application is open. */
const drafts = new Map<string, Draft>();

/** Measures and compares how well several settings find the answers to questions. */
export function EvaluateTab() {
  const { knowledgeBaseId } = route.useParams();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  if (base === undefined) return <Skeleton height={320} />;
  if (base.chunkCount === 0 && countUnderWay(base) === 0) return <NothingToSearch knowledgeBaseId={knowledgeBaseId} />;
  return <Evaluation key={knowledgeBaseId} base={base} />;
}

function Evaluation({ base }: { base: KnowledgeBase }) {
  const { id: knowledgeBaseId, hybridWeights } = base;
  const hasNext = base.rebuild?.status === 'READY';
  const { t } = useTranslation();
  const [draft, setDraft] = useState<Draft>(() => drafts.get(knowledgeBaseId) ?? { questions: firstQuestions });
  const change = (values: Partial<Draft>): void =>
    setDraft((old) => {
      const next = { ...old, ...values };
      drafts.set(knowledgeBaseId, next);
      return next;
    });
  const { questions } = draft;
  const settings = (draft.settings ?? firstSettings(hasNext)).map((one) => withoutNext(one, hasNext));
  const given = questions.given.filter(
    ({ question, documentId, chunkId }) =>
      question.trim() !== '' && (documentId !== undefined || chunkId !== undefined),
  );
  const run = useMutation({
    mutationFn: () => evaluate(knowledgeBaseId, requestOf(questions, given, settings)),
    onSuccess: (result) => change({ result }),
    retry: (_tries, error) => isIndexRebuilding(error),
    retryDelay: (_tries, error) => retryDelayMs(error),
  });
  const isReady = questions.from === 'generated' || given.length > 0;
  return (
    <Stack gap="sm">
      <StillProcessed knowledgeBaseId={knowledgeBaseId} />
      <Panel title={t('knowledge.evaluate.questions')}>
        <EvaluationQuestions
          knowledgeBaseId={knowledgeBaseId}
          value={questions}
          onChange={(next) => change({ questions: next })}
        />
      </Panel>
      <Panel title={t('knowledge.evaluate.settings')}>
        <EvaluationSettings
          value={settings}
          hasNext={hasNext}
          hybridWeights={hybridWeights}
          onChange={(next) => change({ settings: next })}
        />
      </Panel>
      <Group gap="sm">
        <Button loading={run.isPending} disabled={!isReady} onClick={() => run.mutate()}>
          {t('knowledge.evaluate.run')}
        </Button>
        {questions.from === 'given' && (
          <Text size="xs" c="dimmed">
            {t('knowledge.evaluate.complete', { count: given.length, total: questions.given.length })}
          </Text>
        )}
      </Group>
      {run.isError && <ErrorPanel error={run.error} />}
      {run.isPending && isIndexRebuilding(run.failureReason) && (
        <WaitingForIndex>{t('knowledge.evaluate.indexRebuilding')}</WaitingForIndex>
      )}
      {draft.result !== undefined && <EvaluationResults result={draft.result} />}
    </Stack>
  );
}

/** Settings that name an index which no longer exists use the current one. */
function withoutNext({ index, ...settings }: EvaluatedSettings, hasNext: boolean): EvaluatedSettings {
  return hasNext && index !== undefined ? { ...settings, index } : settings;
}

function requestOf(
  { from, count, model }: Questions,
  given: Questions['given'],
  settings: readonly EvaluatedSettings[],
): RagEvaluation {
  return {
    ...(from === 'generated'
      ? { generate: { count, model } }
      : {
          questions: given.map(({ question, documentId, chunkId }) => ({
            question: question.trim(),
            ...(chunkId === undefined
              ? { documentIds: documentId === undefined ? [] : [documentId] }
              : { chunkIds: [chunkId] }),
          })),
        }),
    // A minimum score of 0 and weights of other modes have no effect and are not sent.
    settings: settings.map(({ mode = 'HYBRID', minScore = 0, weights, ...rest }) => ({
      mode,
      ...rest,
      ...(minScore > 0 ? { minScore } : {}),
      ...(mode === 'HYBRID' && weights !== undefined ? { weights } : {}),
    })),
  };
}
