import { Alert, Anchor, Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconScale, IconSwitchHorizontal } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { KnowledgeBase, KnowledgeBaseRebuild } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { useModelName } from './embedding-model-select.tsx';
import { EvaluationResults } from './evaluation-results.tsx';
import { evaluate, firstSettings } from './evaluation.ts';
import { useChunkingWords } from './index-description.tsx';
import { isIndexRebuilding, isNextBuilding, retryDelayMs, WaitingForIndex } from './index-rebuilding.tsx';
import { ragKeys } from './rag-queries.ts';

const comparedQuestions = 50;

/** The new index that is built beside the current one: its progress, a comparison, and the switch to it. */
export function IndexRebuildState({
  base,
  rebuild,
  mayEdit,
}: {
  base: KnowledgeBase;
  rebuild: KnowledgeBaseRebuild;
  mayEdit: boolean;
}) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const nameOf = useModelName();
  const wordsOf = useChunkingWords();
  const [asked, setAsked] = useState<'switch' | 'discard'>();
  const compare = useMutation({
    mutationFn: () => evaluate(base.id, { generate: { count: comparedQuestions }, settings: firstSettings(true) }),
    retry: (_tries, error) => isIndexRebuilding(error) || isNextBuilding(error),
    retryDelay: (_tries, error) => retryDelayMs(error),
  });
  const again = useMutation({
    mutationFn: async () =>
      dataOf(
        api.PUT('/api/v1/rag/knowledge-bases/{knowledgeBaseId}', {
          params: { path: { knowledgeBaseId: base.id } },
          body: { embeddingModel: rebuild.embeddingModel, chunking: rebuild.chunking, switch: rebuild.switch },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ragKeys.bases }),
  });
  const { done, total, failed } = rebuild.documents;
  const path = { params: { path: { knowledgeBaseId: base.id } } };
  const row = (name: string, current: string, next: string) => (
    <tr>
      <th scope="row">{name}</th>
      <td className="wraps">{current}</td>
      <td className="wraps">{current === next ? next : <b>{next}</b>}</td>
    </tr>
  );
  return (
    <section className="panel" aria-label={t('knowledge.rebuild.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t(`knowledge.rebuild.states.${rebuild.status}`)}
        </Title>
        <Text size="xs" c="dimmed" component="div">
          <Ago time={rebuild.startedAt} />
        </Text>
      </Group>
      <Stack gap="sm">
        {rebuild.status === 'BUILDING' && (
          <div role="status">
            <Text size="sm" mb={4}>
              {t('knowledge.rebuild.progress', {
                count: total,
                done: formatCount(done, locale),
                documents: formatCount(total, locale),
              })}
            </Text>
            <Progress value={(100 * done) / Math.max(1, total)} animated aria-label={t('knowledge.rebuild.title')} />
            <Text size="xs" c="dimmed" mt={4}>
              {t(rebuild.switch === 'AUTOMATIC' ? 'knowledge.rebuild.switchesItself' : 'knowledge.rebuild.waits')}
            </Text>
          </div>
        )}
        {rebuild.cause !== null && (
          <Alert color="orange" icon={<IconAlertTriangle />} py="xs">
            {say(rebuild, 'cause')}
          </Alert>
        )}
        {failed > 0 && (
          <Text size="sm" c="orange">
            <Anchor
              component={Link}
              to="/knowledge/$knowledgeBaseId"
              params={{ knowledgeBaseId: base.id } as never}
              search={{ rebuild: 'FAILED' } as never}
              inherit
            >
              {t('knowledge.rebuild.failed', { count: failed, documents: formatCount(failed, locale) })}
            </Anchor>
          </Text>
        )}
        <div className="table-scroll">
          <table className="why-table compare-table">
            <thead>
              <tr>
                <th scope="col">{t('knowledge.evaluate.index')}</th>
                <th scope="col">{t('knowledge.evaluate.indexes.CURRENT')}</th>
                <th scope="col">{t('knowledge.evaluate.indexes.NEXT')}</th>
              </tr>
            </thead>
            <tbody>
              {row(t('knowledge.form.model'), nameOf(base.embeddingModel), nameOf(rebuild.embeddingModel))}
              {row(t('knowledge.chunking.title'), wordsOf(base.chunking), wordsOf(rebuild.chunking))}
              {row(
                t('knowledge.columns.chunks'),
                formatCount(base.chunkCount, locale),
                formatCount(rebuild.chunkCount, locale),
              )}
            </tbody>
          </table>
        </div>
        {mayEdit && (
          <Group gap="xs">
            {rebuild.status === 'READY' && (
              <>
                <Button
                  variant={compare.data === undefined ? 'filled' : 'light'}
                  leftSection={<IconScale size={16} />}
                  loading={compare.isPending}
                  onClick={() => compare.mutate()}
                >
                  {t('knowledge.rebuild.compare')}
                </Button>
                <Button
                  variant={compare.data === undefined ? 'light' : 'filled'}
                  leftSection={<IconSwitchHorizontal size={16} />}
                  onClick={() => setAsked('switch')}
                >
                  {t('knowledge.rebuild.switch')}
                </Button>
              </>
            )}
            {(rebuild.status === 'FAILED' || (failed > 0 && rebuild.status === 'READY')) && (
              <Button variant="light" color="orange" loading={again.isPending} onClick={() => again.mutate()}>
                {t('knowledge.rebuild.again')}
              </Button>
            )}
            <Button variant="default" onClick={() => setAsked('discard')}>
              {t('knowledge.rebuild.discard')}
            </Button>
          </Group>
        )}
        {again.isError && <ErrorPanel error={again.error} />}
        {compare.isError && <ErrorPanel error={compare.error} />}
        {compare.isPending &&
          (compare.failureReason === null ? (
            <Text size="sm" c="dimmed" role="status">
              {t('knowledge.rebuild.comparing', { count: comparedQuestions })}
            </Text>
          ) : (
            <WaitingForIndex>{t('knowledge.rebuild.notReady')}</WaitingForIndex>
          ))}
        {compare.data !== undefined && <EvaluationResults result={compare.data} />}
      </Stack>
      <ConfirmDialog
        opened={asked === 'switch'}
        title={t('knowledge.rebuild.switchTitle')}
        action={t('knowledge.rebuild.switch')}
        color="soil"
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          await dataOf(api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/rebuild/switch', path));
          notifyDone(t('knowledge.rebuild.switched'));
          await queryClient.invalidateQueries({ queryKey: ragKeys.bases });
        }}
      >
        {t('knowledge.rebuild.switchExplained')}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asked === 'discard'}
        title={t('knowledge.rebuild.discardTitle')}
        action={t('knowledge.rebuild.discard')}
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          await dataOf(api.DELETE('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/rebuild', path));
          notifyDone(t('knowledge.rebuild.discarded'));
          await queryClient.invalidateQueries({ queryKey: ragKeys.bases });
        }}
      >
        {t('knowledge.rebuild.discardExplained')}
      </ConfirmDialog>
    </section>
  );
}
