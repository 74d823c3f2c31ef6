import { Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
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
import { IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { Page } from '../../../ui/page.tsx';
import { ProfilePanel } from '../profile/profile-panel.tsx';
import type { Proposal } from '../profile/propose-step.ts';
import { AddStep } from './add-step.tsx';
import { forgetDraft, readDraft, storeDraft } from '../drafts/draft-storage.ts';
import {
  equalWeights,
  masksData,
  moved,
  newStep,
  problemsOf,
  sourceToSend,
  type Draft,
  type DraftProblem,
  type DraftStep,
} from '../drafts/draft.ts';
import { contentsOf } from './fitting-operators.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { RefusalAlert } from './refusal-alert.tsx';
import { ResultPanel } from './result-panel.tsx';
import { SourcePanel } from './source-panel.tsx';
import { isSourceRefusal, SourceRefusal } from './source-refusal.tsx';
import { chosenFor, groupTables, isUnclear } from './source-tables.ts';
import { StepList } from './step-list.tsx';
import { locateProblem, originalOf, sayProblem, type StepProblem } from './step-problem.ts';
import { TemplateMenu } from './template-menu.tsx';
import { useInspection } from './use-inspection.ts';
import { useDragWords } from './use-drag-words.ts';
import { usePreview, type Sampling } from './use-preview.ts';
import { useProposedNames } from './use-proposed-names.ts';
import { useStepOperators } from './use-step-operators.ts';

type Props = {
  title: string;
  breadcrumbs: ReactNode;
  initial: Draft;
  operators: readonly Operator[];
  /** Storage key of the draft when the page is left without saving. */
  storageKey: string;
  actions: readonly { label: string; primary: boolean; save: (draft: Draft) => Promise<void> }[];
};

const unfoldMs = 250;
const firstSamples: Sampling = { limit: 10, seed: undefined };

/** The page that builds a cleaning task: source, steps and result, beside a live preview. */
export function TaskBuilder({ title, breadcrumbs, initial, operators: installed, storageKey, actions }: Props) {
  const { t, i18n } = useTranslation();
  const [first] = useState(initial);
  const [draft, setDraft] = useState<Draft>(() => readDraft(storageKey) ?? first);
  const operators = useStepOperators(installed, draft.steps);
  const [open, setOpen] = useState<Set<string>>(() => new Set(first.steps.slice(0, 1).map(({ key }) => key)));
  const [tried, setTried] = useState(false);
  const [sampling, setSampling] = useState(firstSamples);
  const [view, setView] = useState<'preview' | 'profile'>('preview');
  const saved = useRef(false);
  const columns = useRef<HTMLDivElement>(null);
  const proposed = useProposedNames(draft);
  const inspection = useInspection(draft);
  const unclear = groupTables(inspection.data?.tables ?? []).filter(
    (group) => isUnclear(group) && chosenFor(draft, group) === undefined,
  ).length;
  const fileTypes = draft.sourceDatasetId === '' ? undefined : inspection.data?.fileTypes;
  const held = useMemo(() => contentsOf(fileTypes ?? []), [fileTypes]);
  const isDirty = draft !== first;
  // A proposed name is taken as it stands.
  const complete = {
    ...draft,
    name: draft.name.trim() === '' ? proposed.task : draft.name,
    targetDatasetName: draft.targetDatasetName.trim() === '' ? proposed.target : draft.targetDatasetName,
  };
  const problems = problemsOf(complete, operators, unclear);
  const save = useMutation({
    mutationFn: async (action: Props['actions'][number]) => {
      saved.current = true;
      await action.save(complete);
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
  const preview = usePreview(draft, operators, {
    sampling,
    isBlocked: unclear > 0 || (draft.sourceDatasetId !== '' && inspection.isPending),
  });
  const located = (error: unknown, keys: readonly string[]): StepProblem | undefined =>
    locateProblem({ message: originalOf(error), keys }, draft.steps, operators, {
      known: ({ key, limit }) => t(`common.form.problem.${key}`, { limit }),
      other: (problem) => sayProblem(error, problem, i18n.language),
    });
  const notSaved = save.isError
    ? located(
        save.error,
        draft.steps.map(({ key }) => key),
      )
    : undefined;
  const notShown = preview.query.isError ? located(preview.query.error, preview.wanted?.keys ?? []) : undefined;
  const problem = notSaved ?? notShown;

  const change = (next: Partial<Draft>): void => {
    // The refused draft has changed.
    if (save.isError) save.reset();
    setDraft((old) => ({ ...old, ...next }));
  };
  const setSteps = (steps: DraftStep[]): void => change({ steps });
  const add = (operator: Operator): void => {
    const step = newStep(operator);
    setSteps([...draft.steps, step]);
    // The others fold, so that the list stays in sight.
    setOpen(new Set([step.key]));
  };
  const mixer = operators.find(({ id }) => id === 'mix-selector');
  const mix = (): void => {
    if (mixer === undefined) return;
    const step = newStep(mixer);
    setSteps([
      ...draft.steps,
      { ...step, params: { ...step.params, weights: equalWeights(inspection.data?.folders ?? []) } },
    ]);
    setOpen(new Set([step.key]));
  };
  const isMixed = draft.steps.some(({ operatorId }) => operatorId === mixer?.id);
  const propose = ({ operatorId, params }: Proposal): void => {
    const operator = operators.find(({ id }) => id === operatorId);
    if (operator === undefined) return;
    const known = draft.steps.find((step) => step.operatorId === operatorId);
    const step = known ?? newStep(operator);
    const changed = { ...step, params: { ...step.params, ...params } };
    setSteps(
      known === undefined ? [...draft.steps, changed] : draft.steps.map((one) => (one === known ? changed : one)),
    );
    setOpen(new Set([...open, step.key]));
  };
  const profiled = useMemo(
    () => (draft.sourceDatasetId === '' || unclear > 0 ? undefined : sourceToSend(draft)),
    [draft, unclear],
  );
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const dragWords = useDragWords(draft.steps, operators);
  const drop = ({ active, over }: DragEndEvent): void => {
    if (over === null) return;
    const placeOf = (id: string | number): number => draft.steps.findIndex(({ key }) => key === id);
    if (placeOf(over.id) !== -1) setSteps(moved(draft.steps, placeOf(active.id), placeOf(over.id)));
  };
  const problemText = (name: DraftProblem): string | undefined =>
    tried && problems.includes(name) ? t(`cleaning.builder.problem.${name}`) : undefined;
  const focus = (selector: string): void => {
    const field = columns.current?.querySelector<HTMLElement>(selector);
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'center' });
  };
  const showProblem = (): void => {
    if (problem === undefined) return;
    setOpen(new Set([...open, problem.key]));
    // It can get the focus only once it is expanded.
    setTimeout(() => focus('.step-form [aria-invalid=true]'), unfoldMs);
  };
  const showSource = (): void => {
    void inspection.refetch();
    focus('.table-choice[data-needs] input, .table-choice[data-missing] input');
  };

  return (
    <Page
      compact
      title={title}
      breadcrumbs={breadcrumbs}
      heading={
        <TextInput
          size="xs"
          className="builder-name"
          aria-label={t('cleaning.builder.name')}
          placeholder={proposed.task === '' ? t('cleaning.builder.name') : proposed.task}
          value={draft.name}
          error={problemText('name')}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      }
      actions={actions.map((action) => (
        <Button
          key={action.label}
          size="xs"
          variant={action.primary ? 'filled' : 'default'}
          leftSection={action.primary ? <IconPlayerPlay size={15} /> : <IconDeviceFloppy size={15} />}
          loading={save.isPending && save.variables === action}
          onClick={() => {
            setTried(true);
            if (problems.length === 0) save.mutate(action);
          }}
        >
          {action.label}
        </Button>
      ))}
    >
      {save.isError &&
        (notSaved !== undefined ? (
          <RefusalAlert problem={notSaved} title={t('cleaning.builder.notSaved')} onShow={showProblem} />
        ) : isSourceRefusal(originalOf(save.error)) ? (
          <SourceRefusal title={t('cleaning.builder.notSaved')} onShow={showSource} />
        ) : (
          <ErrorPanel error={save.error} title={t('cleaning.builder.notSaved')} />
        ))}
      {tried && problems.length > 0 && (
        <Text size="sm" c="red" role="alert">
          {problems.map((name) => t(`cleaning.builder.problem.${name}`)).join(' ')}
        </Text>
      )}
      <div className="builder" ref={columns}>
        <Stack gap="sm">
          <SourcePanel
            draft={draft}
            onChange={change}
            inspection={inspection}
            usesMedia={draft.steps.some(
              ({ operatorId }) => operators.find(({ id }) => id === operatorId)?.reads.includes('media') === true,
            )}
            sourceError={problemText('source')}
            columnsError={problemText('columns')}
            onMix={mixer === undefined || isMixed || inspection.data?.folders.length === 0 ? undefined : mix}
            refusal={save.isError ? { original: originalOf(save.error), text: messageOf(save.error, t) } : undefined}
          />
          <section className="panel builder-panel" aria-label={t('cleaning.steps.title')}>
            <Group justify="space-between" mb={6}>
              <Title order={2} size="h5">
                {t('cleaning.steps.title')}
              </Title>
              <TemplateMenu draft={complete} onSteps={setSteps} />
            </Group>
            <DndContext sensors={sensors} collisionDetection={closestCenter} accessibility={dragWords} onDragEnd={drop}>
              <StepList
                steps={draft.steps}
                operators={operators}
                open={open}
                onOpen={setOpen}
                onChange={setSteps}
                counts={preview.counts}
                isStale={preview.query.isFetching}
                problem={problem}
              />
            </DndContext>
            <Group mt="xs">
              <AddStep operators={installed} held={held} onAdd={add} />
            </Group>
            {(problemText('steps') ?? problemText('params')) !== undefined && (
              <Text size="sm" c="red" mt="xs">
                {problemText('steps') ?? problemText('params')}
              </Text>
            )}
          </section>
          <ResultPanel
            draft={draft}
            onChange={change}
            proposedTarget={proposed.target}
            masks={masksData(draft, operators)}
          />
        </Stack>
        <section className="panel builder-panel builder-preview" aria-label={t('cleaning.preview.title')}>
          <SegmentedControl
            size="xs"
            mb={6}
            aria-label={t('cleaning.profile.view')}
            value={view}
            onChange={(value) => setView(value === 'profile' ? 'profile' : 'preview')}
            data={[
              { value: 'preview', label: t('cleaning.preview.title') },
              { value: 'profile', label: t('cleaning.profile.title') },
            ]}
          />
          {view === 'profile' && <ProfilePanel source={profiled} operators={operators} onPropose={propose} />}
          {view === 'preview' && (
            <PreviewPanel
              preview={preview}
              operators={operators}
              sampling={sampling}
              onSampling={setSampling}
              missing={draft.sourceDatasetId === '' ? 'source' : unclear > 0 ? 'columns' : 'steps'}
              problem={notShown}
              onShowProblem={showProblem}
              onShowSource={showSource}
            />
          )}
        </section>
      </div>
    </Page>
  );
}
