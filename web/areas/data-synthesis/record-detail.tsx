import {
  Alert,
  Button,
  Code,
  Collapse,
  Group,
  Kbd,
  Popover,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconCheck, IconKeyboard, IconPencil, IconRefresh, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisRecord, SynthesisTask } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { templateNameOf } from './built-in-texts.ts';
import { ColumnValues } from './column-values.tsx';
import { PromptMessages } from './prompt-messages.tsx';
import { RecordEditor } from './record-editor.tsx';
import { RecordOutput } from './record-output.tsx';
import { ReviewMarks } from './review-marks.tsx';
import { recordQuery, synthesisKeys, taskQuery } from './synthesis-queries.ts';
import { useChatModels } from './use-chat-models.ts';

/** One record: what it says, what people decide about it, and where it comes from. */
export function RecordDetail({ taskId, runId, recordId }: { taskId: string; runId: string; recordId: string }) {
  const task = useQuery(taskQuery(taskId));
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
      // Not waited for: keys pressed while the lists are read again would be lost.
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
      <Lineage task={task} record={record} />
    </Stack>
  );
}

/** The calls that make a record anew, without its judge: one, or one of each column that asks a model. */
function callsOf({ columns }: SynthesisRecord): number {
  return columns === null ? 1 : columns.filter(({ kind }) => kind === 'MODEL' || kind === 'JUDGE').length;
}

/** Asks before what a person decided about a record is lost. The button has the focus: the key Enter says yes. */
function RegenerationQuestion(props: { calls: number; onConfirm: () => void; onCancel: () => void }) {
  const { t } = useTranslation();
  const { calls, onConfirm, onCancel } = props;
  return (
    <Alert color="orange" role="alertdialog" title={t('synthesis.records.regenerateTitle')}>
      <Stack gap="xs">
        <Text size="sm">{t('synthesis.records.regenerateLoses', { count: calls })}</Text>
        <Group gap="xs">
          <Button size="compact-sm" autoFocus onClick={onConfirm}>
            {t('synthesis.records.regenerateAnyway')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onCancel}>
            {t('common.actions.cancel')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function ActionButton(props: {
  name: 'accept' | 'reject' | 'edit' | 'regenerate';
  shortcut: string;
  icon: React.ReactNode;
  color?: string;
  disabled?: boolean;
  busy: boolean;
  onClick: () => void;
}) {
  const { t } = useTranslation();
  const { name, shortcut, icon, color, disabled = false, busy, onClick } = props;
  return (
    <Button
      size="compact-sm"
      variant={color === undefined ? 'default' : 'light'}
      {...(color === undefined ? {} : { color })}
      leftSection={icon}
      rightSection={<Kbd size="xs">{shortcut}</Kbd>}
      disabled={disabled}
      loading={busy}
      title={t(`synthesis.records.${name}Help`)}
      aria-keyshortcuts={shortcut}
      onClick={onClick}
    >
      {t(`synthesis.records.${name}`)}
    </Button>
  );
}

const shortcuts = [
  ['A', 'accept'],
  ['X', 'reject'],
  ['E', 'edit'],
  ['R', 'regenerate'],
] as const;

/** The keys of a record: by its button or the question mark. */
function KeysHelp() {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  useHotkeys([['shift+?', toggle]]);
  return (
    <Popover opened={isOpen} onChange={close} onClose={close} withArrow trapFocus={false} position="bottom-end">
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconKeyboard size={15} />}
          rightSection={<Kbd size="xs">?</Kbd>}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {t('synthesis.records.keys')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('synthesis.records.keys')}>
        <Table withRowBorders={false} verticalSpacing={3}>
          <Table.Tbody>
            {shortcuts.map(([key, name]) => (
              <Table.Tr key={key}>
                <Table.Td w={64}>
                  <Kbd size="xs">{key}</Kbd>
                </Table.Td>
                <Table.Td>{t(`synthesis.records.${name}Help`)}</Table.Td>
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Td>
                <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd>
              </Table.Td>
              <Table.Td>{t('synthesis.records.moveHelp')}</Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Td>
                <Kbd size="xs">Esc</Kbd>
              </Table.Td>
              <Table.Td>{t('synthesis.records.closeHelp')}</Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}

function RejectionReason({ value, onSave }: { value: string; onSave: (reason: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label={t('synthesis.records.why')}
          value={text}
          maxLength={500}
          className="grows"
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={text === value}>
          {t('common.actions.save')}
        </Button>
      </Group>
    </form>
  );
}

function Folded({ label, children }: { label: string; children: React.ReactNode }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <div>
      <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={toggle} px={4}>
        {label}
      </Button>
      <Collapse expanded={isOpen}>{children}</Collapse>
    </div>
  );
}

/** From the record to the text it was made of, its file in its version, the prompt, the template and the model. */
function Lineage({ task, record }: { task: SynthesisTask; record: SynthesisRecord }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const models = useChatModels();
  const { source, template, usage } = record;
  const place =
    source.row !== null
      ? `${t('datasets.file.row')} ${formatCount(source.row, locale)}`
      : source.start === null || source.end === null
        ? ''
        : t('synthesis.records.characters', {
            start: formatCount(source.start + 1, locale),
            end: formatCount(source.end, locale),
          });
  return (
    <section aria-label={t('synthesis.records.lineage')}>
      <Title order={3} size="h6" mb={4}>
        {t('synthesis.records.lineage')}
      </Title>
      <ol className="lineage-chain">
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.sourceText')}
            {place !== '' && ` · ${place}`}
          </Text>
          {record.sourceText === null ? (
            <Text size="sm" c="dimmed">
              {t('synthesis.records.noSourceText')}
            </Text>
          ) : (
            <div className="prompt-text" tabIndex={0} role="group" aria-label={t('synthesis.records.sourceText')}>
              {record.sourceText}
            </div>
          )}
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.file')}
          </Text>
          <Link
            to="/datasets/$datasetId/files/$fileId"
            params={{ datasetId: task.sourceDatasetId, fileId: source.fileId }}
            search={{ version: source.version }}
          >
            {task.sourceDatasetName} · {source.filePath}
          </Link>{' '}
          <Text span size="xs" c="dimmed">
            {t('runs.outputs.version', { version: source.version })}
          </Text>
        </li>
        <li>
          {record.columns === null ? (
            <Folded label={t('synthesis.records.prompt', { count: record.prompt.length })}>
              <PromptMessages messages={record.prompt} />
            </Folded>
          ) : (
            <Folded label={t('synthesis.columns.made', { count: record.columns.length })}>
              <ColumnValues columns={record.columns} />
            </Folded>
          )}
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.form.template')}
          </Text>
          <Link
            to="/synthesis/templates/$templateId"
            params={{ templateId: template.id }}
            search={{ version: template.version }}
          >
            {templateNameOf(
              { id: template.id, name: task.templateId === template.id ? task.templateName : template.id },
              t,
            )}
          </Link>{' '}
          <Text span size="xs" c="dimmed">
            {t('runs.outputs.version', { version: template.version })}
          </Text>
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.form.model')}
          </Text>
          <Link to="/settings/models/$modelId" params={{ modelId: record.model }}>
            {models.data?.find(({ id }) => id === record.model)?.name ?? record.model}
          </Link>{' '}
          <Text span size="xs" c="dimmed" className="figure">
            {t('synthesis.records.tokens', {
              input: formatCount(usage.inputTokens, locale),
              output: formatCount(usage.outputTokens, locale),
            })}
            {usage.cost !== null && ` · ${t('synthesis.usage.cost')} ${cost(usage.cost)}`}
            {usage.known && ` · ${t('synthesis.records.known')}`}
          </Text>
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.record')} #<Count value={record.number} />
          </Text>
          <Code className="wraps">{record.id}</Code>
        </li>
      </ol>
    </section>
  );
}
