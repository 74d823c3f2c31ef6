import { withSentences } from '../../documents/index.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { codedReason, inputProblems, templateOf, type Coded, type Reason } from '../../kernel/sentences/index.ts';
import { toPage, type Page, type PageRequest } from '../../kernel/page.ts';
import {
  operatorOf,
  recipeOf,
  recipeRunOf,
  SetupError,
  type Engine,
  type FoundSample,
  type LedgerEntry,
  type PreviewSample,
  type RunInput,
} from '../../engine/index.ts';
import { noCounts, RunFailure, type Run } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { StepOperators } from './step-operators.ts';
import type { CleaningDefinition } from './definition.ts';
import { cleaningErrors } from './errors.ts';
import type { CleaningDetails } from './jobs.ts';
import { withCodedReason, withReasonCode } from './reason-codes.ts';
import type { LedgerQuery, LedgerSample, LedgerSummary, Rethreshold } from './schemas/ledgers.ts';
import type { CleaningFields, NewStep, NewTask } from './schemas/tasks.ts';
import { sourcesIn } from './sources.ts';
import { planRethreshold } from './thresholds.ts';

/** Outcomes of the samples of a run. All methods throw TASK_NOT_FOUND, RUN_NOT_FOUND. */
export type Ledgers = {
  /** Entries in input order. Throws INVALID_PARAMETER. */
  page(taskId: string, runId: string, query: LedgerQuery): Promise<Page<ListedEntry> & { unsearched: number }>;
  summary(taskId: string, runId: string): Promise<LedgerSummary>;
  /** How each file was read. */
  inputs(taskId: string, runId: string, query: PageRequest): Promise<Page<ListedInput>>;
  /** Failed samples with their bytes, as JSON Lines. */
  failed(taskId: string, runId: string): Promise<AsyncGenerator<Buffer>>;
  /** One sample and its path through the steps. Throws SAMPLE_NOT_FOUND. */
  sample(taskId: string, runId: string, sampleId: string): Promise<LedgerSample>;
  /** The outcomes of the samples under other thresholds. Throws INVALID_PARAMETER, OPERATOR_CHANGED. */
  rethreshold(taskId: string, runId: string, steps: readonly NewStep[]): Promise<Rethreshold>;
};

type ListedEntry = ReturnType<typeof toListedEntry>;
type ListedInput = Omit<RunInput, 'sourceDatasetId' | 'skipped'> & { sourceDatasetId: string } & Coded<'skipped'>;

/** An entry with the codes of its texts, and its source dataset. */
function toListedEntry(entry: LedgerEntry, run: Run) {
  const sourceDatasetId = entry.sourceDatasetId ?? detailsOf(run).sourceDatasetId;
  return { ...withReasonCode(entry), sourceDatasetId, receipt: withSentences(entry.receipt) };
}

/** The version of an entry's source that the run read. */
function versionOf(run: Run, { sourceDatasetId }: LedgerEntry): number {
  const sources = sourcesIn(detailsOf(run));
  return (sources.find(({ datasetId }) => datasetId === sourceDatasetId) ?? sources[0])?.version ?? 0;
}

function detailsOf(run: Run): CleaningDetails {
  return recipeRunOf(run).areaDetails as CleaningDetails;
}

export function createLedgers({
  engine,
  db,
  datasets,
  catalogue,
  tasks,
}: {
  engine: Pick<
    Engine,
    | 'readLedger'
    | 'countVerdicts'
    | 'summarizeSteps'
    | 'findSample'
    | 'traceSample'
    | 'rethreshold'
    | 'streamFailed'
    | 'readInputs'
    | 'countSources'
  >;
  db: Database;
  datasets: Pick<DatasetAccess, 'findNames'>;
  catalogue: StepOperators;
  tasks: Pick<Tasks<NewTask, CleaningDefinition, CleaningFields>, 'getRun'>;
}): Ledgers {
  /** Replays a sample through the steps; on failure, returns the reason as `problem` instead of throwing. */
  async function trace(run: Run, found: FoundSample): Promise<{ sample?: PreviewSample; problem: Reason | null }> {
    try {
      const sample = await engine.traceSample(run, found);
      return sample === undefined ? { problem: inputProblems.SAMPLE_GONE.reason({}) } : { sample, problem: null };
    } catch (error) {
      const isErased = error instanceof AppError && error.code === 'BLOB_MISSING';
      if (isErased) return { problem: inputProblems.CONTENT_ERASED.reason({}) };
      if (error instanceof SetupError || error instanceof RunFailure) return { problem: error.reason };
      throw error;
    }
  }

  async function sumSources(run: Run): Promise<LedgerSummary['sources']> {
    const details = detailsOf(run);
    if (details.moreSources === undefined) return [];
    const sources = sourcesIn(details);
    const ids = sources.map(({ datasetId }) => datasetId);
    const [sums, names] = await Promise.all([engine.countSources(run), datasets.findNames(db.read, ids)]);
    return sources.map(({ datasetId, version, folder }) => {
      const counts = sums.get(datasetId) ?? noCounts;
      return { datasetId, datasetName: names.get(datasetId) ?? folder, version, folder, counts };
    });
  }

  return {
    async page(taskId, runId, query) {
      const { verdict, operatorId, reasonCode, search, filePath, row } = query;
      if (row !== undefined && filePath === undefined)
        throw invalid('filePath', parameterProblems.IS_REQUIRED_WITH.reason({ other: 'row' }));
      const run = await tasks.getRun(taskId, runId);
      const filter = { verdict, operatorId, reasonCode, search: search === '' ? undefined : search, filePath, row };
      const { entries, total, unsearched } = await engine.readLedger(run, filter, query);
      return {
        ...toPage(
          entries.map((entry) => toListedEntry(entry, run)),
          query,
          total,
        ),
        unsearched,
      };
    },

    async summary(taskId, runId) {
      const run = await tasks.getRun(taskId, runId);
      const { steps } = recipeOf(run);
      const groups = (await engine.countVerdicts(run)).map(({ verdict, step, code = null, count }) => {
        const operatorId = operatorOf(steps, step);
        const reason = code === null ? null : (templateOf(code) ?? null);
        return { verdict, step, operatorId, reasonCode: code, reason, count };
      });
      return {
        counts: run.counts,
        sources: await sumSources(run),
        steps: await engine.summarizeSteps(run),
        groups: groups.toSorted((one, other) => other.count - one.count),
      };
    },

    async inputs(taskId, runId, query) {
      const run = await tasks.getRun(taskId, runId);
      const { sourceDatasetId } = detailsOf(run);
      const { inputs, total } = await engine.readInputs(run, query);
      return toPage(
        inputs.map(({ skipped, ...input }) => ({
          ...input,
          sourceDatasetId: input.sourceDatasetId ?? sourceDatasetId,
          ...codedReason('skipped', skipped),
        })),
        query,
        total,
      );
    },

    async failed(taskId, runId) {
      return engine.streamFailed(await tasks.getRun(taskId, runId));
    },

    async sample(taskId, runId, sampleId) {
      const run = await tasks.getRun(taskId, runId);
      const found = await engine.findSample(run, sampleId);
      if (found === undefined) throw cleaningErrors.SAMPLE_NOT_FOUND({ id: sampleId });
      const isSkipped = found.entry.verdict === 'SKIPPED';
      const { sample, problem } = isSkipped ? { problem: null } : await trace(run, found);
      return {
        ...toListedEntry(found.entry, run),
        fileId: found.pieces[found.place.line[0]]?.fileId ?? '',
        version: versionOf(run, found.entry),
        steps: (sample?.steps ?? []).map(withCodedReason),
        texts: sample?.texts ?? [],
        pictures: sample?.pictures ?? [],
        ...codedReason('traceProblem', problem),
      };
    },

    async rethreshold(taskId, runId, steps) {
      const run = await tasks.getRun(taskId, runId);
      const recipe = recipeOf(run);
      const operators = await catalogue.operatorsFor(recipe.steps);
      const {
        counts,
        kept,
        steps: funnel,
      } = await engine.rethreshold(run, planRethreshold(operators, recipe.steps, steps));
      return {
        counts,
        kept,
        steps: funnel.map((figures) => {
          return { ...figures, operatorId: recipe.steps[figures.step]?.operatorId ?? '' };
        }),
      };
    },
  };
}
