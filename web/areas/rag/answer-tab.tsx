import { Alert, Anchor, Button, Group, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconMessageQuestion, IconRobot } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Citation, Model } from '../../api/schema.ts';
import { useMe } from '../../session/use-role.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { modelsQuery } from '../settings/model-queries.ts';
import { WaitingForIndex } from './index-rebuilding.tsx';
import { PlaceLink } from './place-link.tsx';
import { baseQuery, countUnderWay } from './rag-queries.ts';
import { NothingToSearch, NotYetHere, StillProcessed } from './search-notices.tsx';
import { useAnswer, type Asked } from './use-answer.ts';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/answer');

/** Answers from the documents, with citations that link to the passage in the source. */
export function AnswerTab() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { knowledgeBaseId } = route.useParams();
  const search = route.useSearch();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const queryClient = useQueryClient();
  const models = useQuery(modelsQuery);
  const chat = models.data === undefined ? undefined : chatModels(models.data);
  const model = choose(chat ?? [], search.model);
  const [question, setQuestion] = useState(search.q ?? '');
  const { asked, ask, stop } = useAnswer(knowledgeBaseId);
  const isAsked = asked?.isGoing === true && asked.question === question.trim();
  const submit = (): void => {
    const query = question.trim();
    if (query === '' || isAsked) return;
    void navigate({
      to: '/knowledge/$knowledgeBaseId/answer',
      params: { knowledgeBaseId },
      search: { q: query, ...(search.model === undefined ? {} : { model: search.model }) },
      replace: true,
    });
    // Waits for models that are still loading, so that the question is not lost.
    const loaded = queryClient
      .query({ ...modelsQuery, staleTime: 'static' })
      .then((all) => choose(chatModels(all), search.model)?.id);
    void ask(query, loaded);
  };

  if (models.isError) return <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />;
  if (base?.chunkCount === 0 && countUnderWay(base) === 0) return <NothingToSearch knowledgeBaseId={knowledgeBaseId} />;
  if (chat?.length === 0) return <NoModel />;
  return (
    <Stack gap="sm">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="sm">
          <Textarea
            aria-label={t('knowledge.answer.question')}
            placeholder={t('knowledge.answer.placeholder')}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={4000}
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <Group justify="space-between" align="flex-end">
            <Select
              label={t('knowledge.answer.model')}
              data={(chat ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              value={model?.id ?? null}
              allowDeselect={false}
              onChange={(id) =>
                void navigate({
                  to: '/knowledge/$knowledgeBaseId/answer',
                  params: { knowledgeBaseId },
                  search: (old: object) => ({ ...old, model: id ?? undefined }),
                  replace: true,
                })
              }
            />
            {asked?.isGoing === true ? (
              <Button variant="default" onClick={stop}>
                {t('knowledge.answer.stop')}
              </Button>
            ) : (
              <Button type="submit" disabled={question.trim() === ''}>
                {t('knowledge.answer.ask')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <StillProcessed knowledgeBaseId={knowledgeBaseId} />
      <NotYetHere documents={asked?.answer?.behind ?? 0} />
      {asked === undefined ? (
        <Text size="sm" c="dimmed">
          {t('knowledge.answer.lead')}
        </Text>
      ) : (
        <Answered knowledgeBaseId={knowledgeBaseId} asked={asked} />
      )}
    </Stack>
  );
}

/** The models that answer questions; the built-in one only fills gaps in sentences. */
function chatModels(models: readonly Model[]): Model[] {
  return models.filter(({ kind, builtIn }) => kind === 'CHAT' && !builtIn);
}

function choose(chat: readonly Model[], wanted: string | undefined): Model | undefined {
  return chat.find(({ id }) => id === wanted) ?? chat[0];
}

function NoModel() {
  const { t } = useTranslation();
  const isAdmin = useMe().role === 'ADMIN';
  return (
    <EmptyState
      icon={IconRobot}
      title={t('knowledge.answer.noModelTitle')}
      lead={t(isAdmin ? 'knowledge.answer.noModelLead' : 'knowledge.answer.noModelAsk')}
      action={
        <Anchor component={Link} to="/settings/models" size="sm">
          {t(isAdmin ? 'knowledge.answer.toModels' : 'knowledge.answer.seeModels')}
        </Anchor>
      }
    />
  );
}

function Answered({ knowledgeBaseId, asked }: { knowledgeBaseId: string; asked: Asked }) {
  const { t } = useTranslation();
  const { question, text, answer, error, isGoing, isWaitingForIndex } = asked;
  if (error !== undefined) return <ErrorPanel error={error} title={t('knowledge.answer.failed')} />;
  if (isWaitingForIndex) return <WaitingForIndex>{t('knowledge.answer.indexRebuilding')}</WaitingForIndex>;
  if (answer?.answer === null)
    return (
      <Alert color="orange" icon={<IconMessageQuestion />} title={t('knowledge.answer.nothingTitle')} role="status">
        <Stack gap={4}>
          <span>{t('knowledge.answer.nothingLead')}</span>
          <Link to="/knowledge/$knowledgeBaseId/search" params={{ knowledgeBaseId }} search={{ q: question }}>
            {t('knowledge.answer.searchInstead')}
          </Link>
        </Stack>
      </Alert>
    );
  const citations = answer?.citations ?? [];
  return (
    <section className="panel" aria-label={t('knowledge.answer.title')} aria-busy={isGoing}>
      <Text size="sm" c="dimmed" mb={6} className="wraps">
        {question}
      </Text>
      <div className="answer-text" role={isGoing ? undefined : 'status'}>
        {text === '' && isGoing ? (
          <Text size="sm" c="dimmed">
            {t('knowledge.answer.thinking')}
          </Text>
        ) : (
          <CitedText knowledgeBaseId={knowledgeBaseId} text={answer?.answer ?? text} citations={citations} />
        )}
      </div>
      {answer === undefined && !isGoing && (
        <Text size="sm" c="orange">
          {t('knowledge.answer.stopped')}
        </Text>
      )}
      {citations.length > 0 && (
        <>
          <Title order={2} size="h6" mt="md" mb={4}>
            {t('knowledge.answer.sources')}
          </Title>
          <ol className="citation-list">
            {citations.map((citation) => (
              <li key={citation.number} value={citation.number}>
                <PlaceLink knowledgeBaseId={knowledgeBaseId} place={citation}>
                  {citation.documentName}
                </PlaceLink>
                {citation.page !== null && (
                  <Text span inherit c="dimmed">
                    {' · '}
                    {t('knowledge.page', { page: citation.page })}
                  </Text>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      {answer?.truncated === true && (
        <Text size="sm" c="orange" mt="xs">
          {t('knowledge.answer.truncated')}
        </Text>
      )}
      {answer !== undefined && citations.length === 0 && (
        <Text size="sm" c="orange" mt="xs">
          {t('knowledge.answer.uncited')}
        </Text>
      )}
    </section>
  );
}

/** A mark such as [1], [1, 2] or 【1】, and a number in it. */
const mark = /([[［【〔][^\]］】〕\n]{1,80}[\]］】〕])/u;
const number = /(\d{1,4})/;

/** The answer, with each number of a citation as a link to its source. */
function CitedText(props: { knowledgeBaseId: string; text: string; citations: readonly Citation[] }) {
  const { t } = useTranslation();
  const byNumber = new Map(props.citations.map((citation) => [citation.number, citation]));
  const parts = props.text.split(mark).flatMap((part, at) => (at % 2 === 0 ? [part] : part.split(number)));
  return parts.map((part, key) => {
    const citation = /^\d+$/.test(part) ? byNumber.get(Number(part)) : undefined;
    return citation === undefined ? (
      <span key={key}>{part}</span>
    ) : (
      <PlaceLink
        key={key}
        knowledgeBaseId={props.knowledgeBaseId}
        place={citation}
        label={t('knowledge.answer.source', { number: citation.number, name: citation.documentName })}
        className="citation"
      >
        {part}
      </PlaceLink>
    );
  });
}
