import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconCheck, IconPencil, IconRefresh, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisRecord, SynthesisTask } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { synthesis } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Folded } from '../../ui/folded.tsx';
import { ActionButton, KeysHelp, RegenerationQuestion } from './record-actions.tsx';
import { RecordEditor } from './record-editor.tsx';
import { RecordLineage } from './record-lineage.tsx';
import { RecordOutput } from './record-output.tsx';
import { ReviewMarks } from './review-marks.tsx';
import { recordQuery, synthesisKeys } from './synthesis-queries.ts';

/** One record: its content, the reviewer's decisions, and where it comes from. */
export function RecordDetail({ taskId, runId, recordId }: { taskId: string; runId: string; recordId: string }) {
  const task = useQuery(taskQuery(synthesis, taskId));
  const record = useQuery(recordQuery(taskId, recordId));
  if (record.isError) return <ErrorPanel error={record.error} onRetry={() => void record.refetch()} />;
  if (record.data === undefined || task.data === undefined) return <Skeleton height={280} />;
  return <Shown task={task.data} record={record.data} isLatest={task.data.lastRunId === runId} />;
}

type Act =
  | { kind: 'accept' | 'regenerate' }
  | { kind: 'reject'; reason?: string }
  | { kind: 'edit'; output: Record<string, unknown> };

function Shown({ task, record, isLatest }: { task: SynthesisTask; record: SynthesisRecord; isLatest: boolean }) {
  const { t } = useTranslation();
  const say = useSay();
  const mayEdit = useMayEdit() && isLatest;
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const path = { params: { path: { id: task.id, recordId: record.id } } };
  const act = useMutation({
    mutationFn: async (what: Act) => {
      const root = '/api/v1/data-synthesis/tasks/{id}/records/{recordId}';
      const answer =
        what.kind === 'edit'
          ? api.PATCH(root, { ...path, body: { output: what.output } })
          : what.kind === 'reject'
            ? api.POST(`${root}/reject`, { ...path, body: what.reason === undefined ? {} : { reason: what.reason } })
            : what.kind === 'accept'
              ? api.POST(`${root}/accept`, path)
              : api.POST(`${root}/regenerate`, path);
      return (await dataOf(answer)).data;
    },
    onMutate: () => setAsked(false),
    onSuccess: (next) => {
      setEditing(false);
      queryClient.setQueryData(recordQuery(task.id, record.id).queryKey, next);
      // Not awaited: keys pressed while the lists are reloaded would be lost.
      void queryClient.invalidateQueries({ queryKey: synthesisKeys.records(task.id) });
    },
  });
  const isFree = mayEdit && !act.isPending && !isEditing;
  const keys: Record<'a' | 'x' | 'r' | 'e', () => void> = {
    a: () => act.mutate({ kind: 'accept' }),
    x: () => act.mutate({ kind: 'reject' }),
    r: () => (record.edited || record.review !== null ? setAsked(true) : act.mutate({ kind: 'regenerate' })),
    e: () => {
      setAsked(false);
      setEditing(true);
    },
  };
  const press = (key: keyof typeof keys) => (): void => {
    if (isFree && (key === 'r' || record.output !== null)) keys[key]();
  };
  useHotkeys([
    ['a', press('a')],
    ['x', press('x')],
    ['r', press('r')],
    ['e', press('e')],
  ]);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <VerdictBadge verdict={record.verdict} />
        <ReviewMarks record={record} />
        {record.score !== null && (
          <Text size="sm" className="figure">
            {t('synthesis.records.scored', { score: record.score })}
          </Text>
        )}
      </Group>
      {record.reason !== null && (
        <Text size="sm" c={record.verdict === 'FAILED' ? 'red' : 'orange'}>
          {say(record, 'reason')}
        </Text>
      )}
      {record.judgement !== null && (
        <Text size="sm" c="dimmed">
          {record.judgement}
        </Text>
      )}
      {record.mended.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('synthesis.records.mended', {
            what: record.mended.map((one) => t(`synthesis.records.mended_${one}`)).join(', '),
          })}
        </Text>
      )}
      {mayEdit && !isEditing && (
        <Group gap="xs" role="toolbar" aria-label={t('synthesis.records.actions')}>
          <ActionButton
            name="accept"
            shortcut="A"
            color="green"
            icon={<IconCheck size={14} />}
            disabled={record.output === null}
            busy={act.isPending && act.variables.kind === 'accept'}
            onClick={press('a')}
          />
          <ActionButton
            name="reject"
            shortcut="X"
            color="red"
            icon={<IconX size={14} />}
            disabled={record.output === null}
            busy={act.isPending && act.variables.kind === 'reject'}
            onClick={press('x')}
          />
          <ActionButton
            name="edit"
            shortcut="E"
            icon={<IconPencil size={14} />}
            disabled={record.output === null}
            busy={false}
            onClick={press('e')}
          />
          <ActionButton
            name="regenerate"
            shortcut="R"
            icon={<IconRefresh size={14} />}
            busy={act.isPending && act.variables.kind === 'regenerate'}
            onClick={press('r')}
          />
          <KeysHelp />
        </Group>
      )}
      {isAsked && (
        <RegenerationQuestion
          calls={callsOf(record)}
          onConfirm={() => act.mutate({ kind: 'regenerate' })}
          onCancel={() => setAsked(false)}
        />
      )}
      {!isLatest && (
        <Text size="xs" c="dimmed">
          {t('synthesis.records.older')}
        </Text>
      )}
      {act.isError && <ErrorPanel error={act.error} />}
      {record.review === 'REJECTED' && mayEdit && (
        <RejectionReason
          key={record.reviewReason}
          value={record.reviewReason ?? ''}
          onSave={(reason) => act.mutate({ kind: 'reject', reason })}
        />
      )}
      {record.review !== null && (
        <Text size="xs" c="dimmed">
          {t('synthesis.records.by', { name: record.reviewedBy ?? '' })}
          {!mayEdit && record.reviewReason !== null && `: ${record.reviewReason}`}
        </Text>
      )}
      {isEditing && record.output !== null ? (
        <RecordEditor
          output={record.output}
          isBusy={act.isPending}
          onSave={(output) => act.mutate({ kind: 'edit', output })}
          onCancel={() => setEditing(false)}
        />
      ) : record.output === null ? (
        <Alert color="gray">
          {record.reason === null
            ? t('synthesis.records.noOutput')
            : t('synthesis.records.noOutputBecause', { reason: say(record, 'reason') })}
        </Alert>
      ) : (
        <RecordOutput output={record.output} />
      )}
      {record.generated !== null && (
        <Folded label={t('synthesis.records.generated')}>
          <RecordOutput output={record.generated} />
        </Folded>
      )}
      <RecordLineage task={task} record={record} />
    </Stack>
  );
}

/** The model calls that regenerate a record, without its judge: one, or one for each column that calls a model. */
function callsOf({ columns }: SynthesisRecord): number {
  return columns === null ? 1 : columns.filter(({ kind }) => kind === 'MODEL' || kind === 'JUDGE').length;
}

function RejectionReason({ value, onSave }: { value: string; onSave: (reason: string) => void }) {
  const { t } = useTranslation();
  const draft = useDraft({ reason: value });
  return (
    <form onSubmit={draft.submit(({ reason }) => onSave(reason))}>
      <Group gap="xs" align="flex-end">
        <TextInput label={t('synthesis.records.why')} maxLength={500} className="grows" {...draft.text('reason')} />
        <Button type="submit" variant="default" disabled={!draft.isChanged}>
          {t('common.actions.save')}
        </Button>
      </Group>
    </form>
  );
}
