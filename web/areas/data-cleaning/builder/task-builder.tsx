import { Button, Grid, Group, Menu, Stack, Text, Title } from '@mantine/core';
import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type DragEndEvent,
} from '@dnd-kit/core';
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable';
import { IconDeviceFloppy, IconPlayerPlay, IconTemplate } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { Operator } from '../../../api/schema.ts';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { TextDialog } from '../../data-management/file-dialogs.tsx';
import { cleaningKeys, templatesQuery } from '../cleaning-queries.ts';
import { forgetDraft, readDraft, storeDraft } from './draft-storage.ts';
import { masksData, moved, newStep, problemsOf, stepOf, stepsToSend, type Draft, type DraftStep } from './draft.ts';
import { OperatorPalette } from './operator-palette.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { SourceForm } from './source-form.tsx';
import { StepList } from './step-list.tsx';

type Props = {
  initial: Draft;
  operators: readonly Operator[];
  /** Storage key of the draft when the page is left without saving. */
  storageKey: string;
  actions: readonly { label: string; primary: boolean; save: (draft: Draft) => Promise<void> }[];
};

/** Builds a cleaning task: source, steps and target, with a live preview. */
export function TaskBuilder({ initial, operators, storageKey, actions }: Props) {
  const { t } = useTranslation();
  const [first] = useState(initial);
  const [draft, setDraft] = useState<Draft>(() => readDraft(storageKey) ?? first);
  const [open, setOpen] = useState<Set<string>>(() => new Set(first.steps.slice(0, 1).map(({ key }) => key)));
  const [tried, setTried] = useState(false);
  const saved = useRef(false);
  const isDirty = draft !== first;
  const problems = problemsOf(draft, operators);
  const save = useMutation({
    mutationFn: async (action: Props['actions'][number]) => {
      saved.current = true;
      await action.save(draft);
    },
    onSuccess: () => forgetDraft(storageKey),
    onError: () => {
      saved.current = false;
    },
  });
  useEffect(() => {
    if (isDirty && !saved.current) storeDraft(storageKey, draft);
  }, [draft, isDirty, storageKey]);
  useBlocker({
    shouldBlockFn: () => isDirty && !saved.current && !window.confirm(t('cleaning.builder.leave')),
    enableBeforeUnload: () => isDirty && !saved.current,
  });

  const change = (next: Partial<Draft>): void => {
    // The refused draft has changed.
    if (save.isError) save.reset();
    setDraft((old) => ({ ...old, ...next }));
  };
  const setSteps = (steps: DraftStep[]): void => change({ steps });
  const add = (operator: Operator, at = draft.steps.length): void => {
    const step = newStep(operator);
    setSteps(draft.steps.toSpliced(at, 0, step));
    setOpen(new Set([...open, step.key]));
  };
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent): void => {
    if (over === null) return;
    const target = draft.steps.findIndex(({ key }) => key === over.id);
    const operator = active.data.current?.operator as Operator | undefined;
    if (operator !== undefined) add(operator, target === -1 ? draft.steps.length : target);
    else if (target !== -1)
      setSteps(
        moved(
          draft.steps,
          draft.steps.findIndex(({ key }) => key === active.id),
          target,
        ),
      );
  };
  const problem = (name: (typeof problems)[number]): string | undefined =>
    tried && problems.includes(name) ? t(`cleaning.builder.problem.${name}`) : undefined;

  return (
    <Stack gap="md">
      <SourceForm
        draft={draft}
        onChange={change}
        nameError={problem('name')}
        sourceError={problem('source')}
        masks={masksData(draft, operators)}
        refusal={save.isError ? messageOf(save.error, t) : undefined}
      />
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
        <Grid gap="md" align="stretch">
          <Grid.Col span={{ base: 12, sm: 4, lg: 3 }}>
            <section className="panel builder-column" aria-label={t('cleaning.palette.title')}>
              <Title order={2} size="h5" mb="xs">
                {t('cleaning.palette.title')}
              </Title>
              <OperatorPalette operators={operators} onAdd={(operator) => add(operator)} />
            </section>
          </Grid.Col>
          <Grid.Col span={{ base: 12, sm: 8, lg: 4 }}>
            <section className="panel builder-column" aria-label={t('cleaning.steps.title')}>
              <Group justify="space-between" mb="xs">
                <Title order={2} size="h5">
                  {t('cleaning.steps.title')}
                </Title>
                <TemplateMenu draft={draft} onSteps={setSteps} />
              </Group>
              <StepList steps={draft.steps} operators={operators} open={open} onOpen={setOpen} onChange={setSteps} />
              {(problem('steps') ?? problem('params')) !== undefined && (
                <Text size="sm" c="red" role="alert" mt="xs">
                  {problem('steps') ?? problem('params')}
                </Text>
              )}
            </section>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <section className="panel builder-column" aria-label={t('cleaning.preview.title')}>
              <Title order={2} size="h5" mb="xs">
                {t('cleaning.preview.title')}
              </Title>
              <PreviewPanel draft={draft} operators={operators} />
            </section>
          </Grid.Col>
        </Grid>
      </DndContext>
      <div className="builder-actions">
        {save.isError && <ErrorPanel error={save.error} title={t('cleaning.builder.notSaved')} />}
        {tried && problems.length > 0 && (
          <Text size="sm" c="red" role="alert" ta="right">
            {problems.map((name) => t(`cleaning.builder.problem.${name}`)).join(' ')}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          {actions.map((action) => (
            <Button
              key={action.label}
              variant={action.primary ? 'filled' : 'default'}
              leftSection={action.primary ? <IconPlayerPlay size={16} /> : <IconDeviceFloppy size={16} />}
              loading={save.isPending && save.variables === action}
              onClick={() => {
                setTried(true);
                if (problems.length === 0) save.mutate(action);
              }}
            >
              {action.label}
            </Button>
          ))}
        </Group>
      </div>
    </Stack>
  );
}

function TemplateMenu({ draft, onSteps }: { draft: Draft; onSteps: (steps: DraftStep[]) => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const templates = useQuery(templatesQuery({ size: 100 }));
  const [naming, setNaming] = useState(false);
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="subtle" leftSection={<IconTemplate size={14} />}>
            {t('cleaning.templates.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} className="scrolls">
          <Menu.Label>{t('cleaning.templates.load')}</Menu.Label>
          {(templates.data?.content ?? []).map(({ id, name, description, steps }) => (
            <Menu.Item
              key={id}
              onClick={() => onSteps(steps.map((step) => stepOf(step.operatorId, step.params)))}
              maw={360}
            >
              <Text size="sm">{name}</Text>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {description}
              </Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={draft.steps.length === 0} onClick={() => setNaming(true)}>
            {t('cleaning.templates.saveAs')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <TextDialog
          title={t('cleaning.templates.saveAs')}
          label={t('cleaning.columns.name')}
          help={t('cleaning.templates.nameHelp')}
          initial={draft.name}
          action={t('common.actions.save')}
          onClose={() => setNaming(false)}
          onSubmit={async (name) => {
            await dataOf(api.POST('/api/v1/data-cleaning/templates', { body: { name, steps: stepsToSend(draft) } }));
            await queryClient.invalidateQueries({ queryKey: cleaningKeys.templates });
            notifyDone(t('cleaning.templates.saved', { name }));
          }}
        />
      )}
    </>
  );
}
