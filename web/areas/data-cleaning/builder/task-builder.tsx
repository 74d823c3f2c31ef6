import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { messageOf } from '../../../ui/error-panel.tsx';
import { Page } from '../../../ui/page.tsx';
import { masksData, problemsOf, sourceToSend, type Draft, type DraftProblem } from '../drafts/draft.ts';
import { contentsOf } from './fitting-operators.ts';
import { ResultPanel } from './result-panel.tsx';
import { SaveRefusal } from './save-refusal.tsx';
import { SourcePanel } from './source-panel.tsx';
import { chosenFor, groupTables, isUnclear } from './source-tables.ts';
import { locateProblem, originalOf, sayProblem, type StepProblem } from './step-problem.ts';
import { StepsPanel } from './steps-panel.tsx';
import { TrialPanel } from './trial-panel.tsx';
import { useInspection } from './use-inspection.ts';
import { usePreview, type Sampling } from './use-preview.ts';
import { useProposedNames } from './use-proposed-names.ts';
import { useStepEdits } from './use-step-edits.ts';
import { useStepOperators } from './use-step-operators.ts';
import { useStoredDraft, type BuilderAction } from './use-stored-draft.ts';

type Props = {
  title: string;
  breadcrumbs: ReactNode;
  initial: Draft;
  operators: readonly Operator[];
  /** Storage key of the draft when the page is left without saving. */
  storageKey: string;
  actions: readonly BuilderAction[];
};

const unfoldMs = 250;
const firstSamples: Sampling = { limit: 10, seed: undefined };

/** The page that builds a cleaning task: source, steps and result, beside a live preview. */
export function TaskBuilder({ title, breadcrumbs, initial, operators: installed, storageKey, actions }: Props) {
  const { t, i18n } = useTranslation();
  const { first, draft, change, save } = useStoredDraft(initial, storageKey);
  const operators = useStepOperators(installed, draft.steps);
  const edits = useStepEdits({ first, steps: draft.steps, operators, onChange: (steps) => change({ steps }) });
  const [tried, setTried] = useState(false);
  const [sampling, setSampling] = useState(firstSamples);
  const columns = useRef<HTMLDivElement>(null);
  const proposed = useProposedNames(draft);
  const inspection = useInspection(draft);
  const unclear = groupTables(inspection.data?.tables ?? []).filter(
    (group) => isUnclear(group) && chosenFor(draft, group) === undefined,
  ).length;
  const fileTypes = draft.sourceDatasetId === '' ? undefined : inspection.data?.fileTypes;
  const held = useMemo(() => contentsOf(fileTypes ?? []), [fileTypes]);
  // A proposed name that the user left alone is saved as it is.
  const complete = {
    ...draft,
    name: draft.name.trim() === '' ? proposed.task : draft.name,
    targetDatasetName: draft.targetDatasetName.trim() === '' ? proposed.target : draft.targetDatasetName,
  };
  const problems = problemsOf(complete, operators, unclear);
  const preview = usePreview(draft, operators, {
    sampling,
    isBlocked: unclear > 0 || (draft.sourceDatasetId !== '' && inspection.isPending),
  });
  const located = (error: unknown, keys: readonly string[]): StepProblem | undefined =>
    locateProblem({ message: originalOf(error), keys }, draft.steps, operators, {
      known: ({ key, limit }) => t(`common.form.problem.${key}`, { limit }),
      other: (problem) => sayProblem(error, problem, i18n.language),
    });
  const keys = draft.steps.map(({ key }) => key);
  const notSaved = save.isError ? located(save.error, keys) : undefined;
  const notShown = preview.query.isError ? located(preview.query.error, preview.wanted?.keys ?? []) : undefined;
  const problem = notSaved ?? notShown;
  const profiled = useMemo(
    () => (draft.sourceDatasetId === '' || unclear > 0 ? undefined : sourceToSend(draft)),
    [draft, unclear],
  );
  const problemText = (name: DraftProblem): string | undefined =>
    tried && problems.includes(name) ? t(`cleaning.builder.problem.${name}`) : undefined;
  const focus = (selector: string): void => {
    const field = columns.current?.querySelector<HTMLElement>(selector);
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'center' });
  };
  const showProblem = (): void => {
    if (problem === undefined) return;
    edits.unfold(problem.key);
    // The field can get the focus only once the step is expanded.
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
          loading={save.isPending && save.variables.action === action}
          onClick={() => {
            setTried(true);
            if (problems.length === 0) save.mutate({ action, draft: complete });
          }}
        >
          {action.label}
        </Button>
      ))}
    >
      {save.isError && (
        <SaveRefusal error={save.error} problem={notSaved} onShowStep={showProblem} onShowSource={showSource} />
      )}
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
            onMix={edits.mix(inspection.data?.folders)}
            refusal={save.isError ? { original: originalOf(save.error), text: messageOf(save.error, t) } : undefined}
          />
          <StepsPanel
            draft={complete}
            steps={draft.steps}
            operators={operators}
            open={edits.open}
            onOpen={edits.setOpen}
            onChange={(steps) => change({ steps })}
            counts={preview.counts}
            isStale={preview.query.isFetching}
            problem={problem}
            installed={installed}
            held={held}
            onAdd={edits.add}
            onDrop={edits.drop}
            error={problemText('steps') ?? problemText('params')}
          />
          <ResultPanel
            draft={draft}
            onChange={change}
            proposedTarget={proposed.target}
            masks={masksData(draft, operators)}
          />
        </Stack>
        <TrialPanel
          profile={{ source: profiled, operators, onPropose: edits.propose }}
          preview={{
            preview,
            operators,
            sampling,
            onSampling: setSampling,
            missing: draft.sourceDatasetId === '' ? 'source' : unclear > 0 ? 'columns' : 'steps',
            problem: notShown,
            onShowProblem: showProblem,
            onShowSource: showSource,
          }}
        />
      </div>
    </Page>
  );
}
