import { Alert, Anchor, Button, Group, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconMessageQuestion, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Citation, RagAnswer } from '../../api/schema.ts';
import { useMe } from '../../session/use-role.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { askForAnswer } from './answer-request.ts';
import { useModels } from './embedding-model-select.tsx';
import { PlaceLink } from './place-link.tsx';
import { baseQuery, countUnderWay } from './rag-queries.ts';
import { NothingToSearch, StillProcessed } from './search-tab.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/answer');

/** What is known of an answer: its text so far, then the answer itself or why there is none. */
type Asked = { question: string; text: string; answer?: RagAnswer; error?: unknown; isGoing: boolean };

/** Answers from the documents, with citations that lead to the place in the source. */
export function AnswerTab() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { knowledgeBaseId } = route.useParams();
  const search = route.useSearch();
  const { data: base } = useQuery(baseQuery(knowledgeBaseId));
  const models = useModels('CHAT');
  // The built-in one fills gaps in sentences; it answers no questions.
  const chat = models.data?.filter(({ builtIn }) => !builtIn);
  const model = chat?.find(({ id }) => id === search.model) ?? chat?.[0];
  const [question, setQuestion] = useState(search.q ?? '');
  const [asked, setAsked] = useState<Asked>();
  const going = useRef<AbortController>(undefined);
  useEffect(() => () => going.current?.abort(), []);

  const ask = async (query: string, modelId: string): Promise<void> => {
    going.current?.abort();
    const own = new AbortController();
    going.current = own;
    const change = (values: (old: Asked) => Partial<Asked>): void => {
      if (going.current === own) setAsked((old) => (old === undefined ? old : { ...old, ...values(old) }));
    };
    setAsked({ question: query, text: '', isGoing: true });
    void navigate({
      to: '/knowledge/$knowledgeBaseId/answer',
      params: { knowledgeBaseId },
      search: { q: query, ...(search.model === undefined ? {} : { model: search.model }) },
      replace: true,
    });
    try {
      const onText = (part: string): void => change(({ text }) => ({ text: text + part }));
      const answer = await askForAnswer(knowledgeBaseId, { query, model: modelId }, { signal: own.signal, onText });
      change(() => ({ answer, isGoing: false }));
    } catch (error) {
      change(() => (own.signal.aborted ? { isGoing: false } : { error, isGoing: false }));
    }
  };

  if (models.isError) return <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />;
  if (base?.chunkCount === 0 && countUnderWay(base) === 0) return <NothingToSearch knowledgeBaseId={knowledgeBaseId} />;
  if (chat?.length === 0) return <NoModel />;
  const canAsk = question.trim() !== '' && model !== undefined && asked?.isGoing !== true;
  return (
    <Stack gap="sm">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          if (canAsk) void ask(question.trim(), model.id);
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
              <Button variant="default" onClick={() => going.current?.abort()}>
                {t('knowledge.answer.stop')}
              </Button>
            ) : (
              <Button type="submit" disabled={!canAsk}>
                {t('knowledge.answer.ask')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <StillProcessed knowledgeBaseId={knowledgeBaseId} />
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
  const { question, text, answer, error, isGoing } = asked;
  if (error !== undefined) return <ErrorPanel error={error} title={t('knowledge.answer.failed')} />;
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
      {answer !== undefined && citations.length === 0 && (
        <Text size="sm" c="orange" mt="xs">
          {t('knowledge.answer.uncited')}
        </Text>
      )}
    </section>
  );
}

/** The answer, in which each number in brackets leads to its source. */
function CitedText(props: { knowledgeBaseId: string; text: string; citations: readonly Citation[] }) {
  const { t } = useTranslation();
  const byNumber = new Map(props.citations.map((citation) => [citation.number, citation]));
  return props.text.split(/(\[\d{1,3}\])/).map((part, key) => {
    const citation = byNumber.get(Number(/^\[(\d+)\]$/.exec(part)?.[1]));
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
