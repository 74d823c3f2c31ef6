import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { parseName } from '../../kernel/text-fields.ts';
import type { Engine, Step } from '../../engine/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { lockTarget, type TaskArea } from '../../tasks/index.ts';
import type { DatasetAccess, DatasetHead } from '../data-management/index.ts';
import type { StepOperators } from './step-operators.ts';
import { checkColumnsOfDocuments, checkTextIsKept } from './columns-of-documents.ts';
import { givenOf, readDefinition, type CleaningDefinition } from './definition.ts';
import { cleaningErrors } from './errors.ts';
import type { StepReferences } from './references.ts';
import type { CleaningFields, NewTask } from './schemas/tasks.ts';
import { currentOf, lockSources, moreSourcesOf, nameSources, type NamedSource } from './sources.ts';
import { chooseSteps, parseSteps } from './steps.ts';
import { parseInput } from './task-input.ts';
import type { CleaningTemplates } from './templates.ts';
import { checkSplitters, checkTextColumns, needNoText } from './text-columns.ts';
import { planRun, workOf } from './run-plan.ts';
import { parseOutput } from './task-output.ts';

/** The task implementation of the area of cleaning. */
export function createCleaningTasks({
  db,
  engine,
  datasets,
  catalogue,
  templates,
  references,
}: {
  db: Database;
  engine: Pick<Engine, 'detailsOf' | 'findTextField' | 'findMissingField' | 'hasSetAside'>;
  datasets: DatasetAccess;
  catalogue: StepOperators;
  templates: Pick<CleaningTemplates, 'get'>;
  references: StepReferences;
}): TaskArea<NewTask, CleaningDefinition, CleaningFields> {
  /** Checks that the text columns of source tables can be found, and that documents can hold what the steps write. */
  async function checkFiles({ steps = [], ...given }: NewTask, operators: readonly Operator[]): Promise<void> {
    const input = parseInput(given.input ?? {});
    const sources = currentOf(await nameSources((id) => datasets.find(db.read, id), given, input));
    const mayLackText = needNoText(operators, steps);
    await checkTextColumns({ db: db.scan, datasets, engine }, { sources, input, mayLackText });
    if (parseOutput(given.output).format === 'SOURCE')
      await checkColumnsOfDocuments({ db: db.scan, datasets }, { operators, steps }, { sources, input });
  }

  async function getTarget(tx: Tx, id: string, sources: readonly NamedSource[]): Promise<DatasetHead> {
    if (sources.some(({ datasetId }) => datasetId === id))
      throw invalid('targetDatasetId', parameterProblems.MUST_NOT_BE_SOURCE.reason({}));
    return lockTarget(tx, datasets, id);
  }

  /** Unchanged steps are not checked again: their operators may be gone, which is reported on execution. */
  async function stepsOf({ steps = [] }: NewTask, before: CleaningDefinition | undefined): Promise<Step[]> {
    if (before !== undefined && isDeepStrictEqual(steps, givenOf(before).steps)) return before.steps;
    return parseSteps(await catalogue.operatorsFor(steps), steps);
  }

  /** Throws STEP_OPERATOR_GONE for the first published operator that is no longer available. */
  async function requireOperators(steps: readonly Step[]): Promise<void> {
    const [missing] = missingOf(steps, await catalogue.operatorsFor(steps));
    if (missing !== undefined) throw cleaningErrors.STEP_OPERATOR_GONE({ ...missing, step: missing.step + 1 });
  }

  return {
    area: 'data-cleaning',

    async prepare(given, before) {
      const isKept = before !== undefined && given.steps === undefined && given.templateId === undefined;
      const prepared = isKept ? given : { ...given, steps: await chooseSteps(templates, given), templateId: undefined };
      const stepsBefore = before === undefined ? undefined : givenOf(before.definition).steps;
      const isSameSteps = isDeepStrictEqual(prepared.steps, stepsBefore);
      if (prepared.steps !== undefined && !isSameSteps) {
        await references.check(parseSteps(await catalogue.operatorsFor(prepared.steps), prepared.steps));
      }
      const whole = before === undefined ? prepared : withChanges(before.definition, prepared);
      const { steps, input } = whole;
      const operators = await catalogue.operatorsFor(steps ?? []);
      checkSplitters(operators, steps ?? [], parseInput(input ?? {}));
      checkTextIsKept(operators, steps ?? [], parseInput(input ?? {}));
      await checkFiles(whole as NewTask, operators);
      return prepared;
    },

    async define(tx, task, before) {
      if (task.targetDatasetId !== undefined && task.targetDatasetName !== undefined) {
        throw invalid('targetDatasetName', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'targetDatasetId' }));
      }
      const steps = await stepsOf(task, before);
      const input = parseInput(task.input ?? {});
      const sources = await nameSources(await lockSources(tx, datasets, task), task, input);
      const [{ head: source, version }] = sources;
      const target =
        task.targetDatasetId === undefined ? undefined : await getTarget(tx, task.targetDatasetId, sources);
      const newName =
        task.targetDatasetName === undefined
          ? cleanedName(source.name)
          : parseName('targetDatasetName', task.targetDatasetName, 100);
      const targetDatasetName = target?.name ?? newName;
      // A dataset that the task created remains its own unless another one is requested.
      const ownsTarget = target === undefined || (before?.ownsTarget === true && before.targetDatasetId === target.id);
      references.refuseTarget(steps, target?.id ?? (ownsTarget ? (before?.targetDatasetId ?? null) : null));
      const output = parseOutput(task.output);
      if (!ownsTarget && output.format !== 'SOURCE') {
        throw invalid('output.format', parameterProblems.NEEDS_OWN_TARGET.reason({}));
      }
      const keepsTarget = ownsTarget && before?.ownsTarget === true && before.targetDatasetName === targetDatasetName;
      return {
        sourceDatasetId: source.id,
        sourceDatasetName: source.name,
        sourceVersion: version,
        ...moreSourcesOf(sources),
        targetDatasetId: keepsTarget ? before.targetDatasetId : (target?.id ?? null),
        targetDatasetName,
        ownsTarget,
        steps,
        input,
        onError: task.onError ?? 'SET_ASIDE',
        output,
      };
    },

    change({ name, definition }, changes) {
      const changed = { name, ...withChanges(definition, changes) };
      // Setting one kind of target replaces the other.
      const { targetDatasetId: id, targetDatasetName: targetName } = changes;
      if (targetName !== undefined && id === undefined) delete changed.targetDatasetId;
      if (id !== undefined && targetName === undefined) delete changed.targetDatasetName;
      return changed;
    },

    read: readDefinition,

    linksOf: ({ steps }) => steps.map(({ operatorId }) => ({ role: 'OPERATOR', ref: operatorId })),

    async show(definitions) {
      const ids = definitions.flatMap(({ sourceDatasetId, moreSources = [], targetDatasetId }) => [
        sourceDatasetId,
        ...moreSources.map(({ datasetId }) => datasetId),
        ...(targetDatasetId === null ? [] : [targetDatasetId]),
      ]);
      const names = await datasets.findNames(db.read, [...new Set(ids)]);
      const published = definitions.flatMap(({ steps }) => steps.filter(({ digest }) => digest !== undefined));
      const usable = await catalogue.operatorsFor(published);
      return definitions.map(({ ownsTarget: _ownsTarget, ...definition }) => ({
        ...definition,
        missingOperators: missingOf(definition.steps, usable),
        warnings: warningsOf(definition),
        sourceDatasetName: names.get(definition.sourceDatasetId) ?? definition.sourceDatasetName,
        sourceFolder: definition.sourceFolder ?? null,
        moreSources: (definition.moreSources ?? []).map((source) => {
          return { ...source, datasetName: names.get(source.datasetId) ?? source.datasetName };
        }),
        targetDatasetName: names.get(definition.targetDatasetId ?? '') ?? definition.targetDatasetName,
      }));
    },

    takesFailedOf: true,

    async plan(tx, task, _execution, { resumed, failedOf }) {
      await requireOperators(task.definition.steps);
      return planRun({ engine, datasets, catalogue, references }, tx, { task, resumed, failedOf });
    },

    isSameWork: (earlier, details) => isDeepStrictEqual(workOf(earlier), workOf(details)),
  };
}

/** Steps whose published operator is no longer available. */
function missingOf(steps: readonly Step[], usable: readonly Operator[]): CleaningFields['missingOperators'] {
  return steps.flatMap(({ operatorId, version, digest }, step) =>
    digest === undefined || usable.some((operator) => operator.id === operatorId && operator.digest === digest)
      ? []
      : [{ step, operatorId, version }],
  );
}

/** A definition with changes, in the form of a request. */
function withChanges<Changes extends Partial<NewTask>>(
  definition: CleaningDefinition,
  changes: Changes,
): Omit<NewTask, 'name'> & Changes {
  const changed = { ...givenOf(definition), ...changes };
  // The folder is named after the dataset, and only needed beside other sources.
  const isOther = changes.sourceDatasetId !== undefined && changes.sourceDatasetId !== definition.sourceDatasetId;
  const isAlone = (changed.moreSources ?? []).length === 0;
  if (changes.sourceFolder === undefined && (isOther || isAlone)) delete changed.sourceFolder;
  return changed;
}

/** Warns if a masking step may fail: failed samples that are kept contain unmasked text. */
function warningsOf({ steps, onError }: Pick<CleaningDefinition, 'steps' | 'onError'>): string[] {
  const masker = steps.find(({ operatorId }) => operatorId.endsWith('-masker'));
  if (onError !== 'KEEP' || masker === undefined) return [];
  return [
    `Samples that fail are written with their original bytes (onError KEEP): what ${masker.operatorId} hides elsewhere stays readable in them`,
  ];
}

const suffix = ' (cleaned)';

/** `"<source> (cleaned)"`, cut to the maximum length of a name. */
function cleanedName(source: string): string {
  return [...source].slice(0, 100 - suffix.length).join('') + suffix;
}
