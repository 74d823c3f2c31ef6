import { rm } from 'node:fs/promises';
import { createDocuments, type Documents } from '../../documents/index.ts';
import type { Timers } from '../../kernel/timers.ts';
import type { PageRequest } from '../../kernel/page.ts';
import type { Models } from '../../models/index.ts';
import { countsOf, type Counts, type NewRun, type Run, type Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Db } from '../../storage/database/database.ts';
import type { Encoding } from '../../encodings/encodings.ts';
import type { TextField } from '../../tables/text-field.ts';
import { createColumnFiles } from './shards/column-files.ts';
import { drawSizes } from './draws/draw.ts';
import type { InputFile, Job } from './job.ts';
import { readInputs, type RunInput } from './ledger/input-reader.ts';
import { failedLines } from './ledger/failed-samples.ts';
import type { LedgerEntry, LedgerFilter } from '../orders/ledger-entry.ts';
import { createLedgerReader, summarizeSteps, type FoundSample, type StepSummary } from './ledger/ledger-reader.ts';
import type { Rethresholded, RethresholdPlan } from '../orders/rethresholding.ts';
import { lineageOf, type Lineage } from './lineage.ts';
import {
  maxCheckedBytes,
  previewInput,
  previewSample,
  type PreviewOutcome,
  type PreviewInput,
} from './preview/preview.ts';
import { openGivenFiles, type GivenFiles } from './preview/given-files.ts';
import { previewTexts, type GivenTexts, type PreviewedTexts } from './preview/given-texts.ts';
import type { PreviewSample, SpeedResult, SpeedJob } from '../orders/preview-jobs.ts';
import { previewFile, type FileBeginning } from './preview/file-preview.ts';
import { inspectInput, type InputLook } from './preview/input-look.ts';
import { findMissingField, findTextField, type MissingField } from './preview/text-fields.ts';
import type { StoredProfile } from './profiles/profile-driver.ts';
import { profileSample, type ProfiledSample, type ProfileSampleRequest } from './profiles/profile-sample.ts';
import { listLineage, listLineageSources } from './queries/lineage.ts';
import { findProfile } from './queries/profiles.ts';
import { hasSetAside } from './queries/shards.ts';
import { createTextSearch } from './ledger/text-search.ts';
import type { RecipeDetails } from './recipe-run.ts';
import type { RunDriverDeps } from './drive-context.ts';
import { profileRunKind, recipeRunKind } from './run-kinds.ts';
import { createPools, type PoolSettings } from './engine-pools.ts';
import { comparisonSizes, type ComparisonSizes } from './sets/comparison-sizes.ts';
import type { VerdictCount } from '../orders/shard.ts';
import { sumShardsBySource } from './queries/shard-totals.ts';
import type { DrawSizes } from './draws/stratum.ts';

export type EngineOptions = PoolSettings & {
  db: Database;
  blobs: BlobStore;
  runs: Runs;
  /** For steps that call models; undefined: steps can't call any. */
  models?: Pick<Models, 'chat' | 'registry' | 'usageOfRuns'>;
  /** Reads documents (PDF, Office …); by default the engine creates and closes its own. */
  documents?: Documents;
  /** Time limit for reading texts in a search of a ledger. */
  searchTimeoutMs?: number;
  /** Tables up to this size are verified before a preview shows their rows. */
  previewCheckedBytes?: number;
  /** How much is read to draw random samples. */
  drawSizes?: Partial<DrawSizes>;
  /** Bytes of input in a shard. */
  shardBytes?: number;
  /** Files in a shard. */
  shardFiles?: number;
  /** When a whole-set step is compared in partitions. */
  comparison?: Partial<ComparisonSizes>;
  /** For files that will become blobs; emptied by `start`. */
  scratchDirectory: string;
  /** For what is told after a while. */
  timers?: Timers;
};

/** Processes samples with operators: runs of a recipe, their ledgers, and previews. */
export type Engine = {
  /** Defines how the runs of an area read and commit; call before the runs start. */
  register(area: string, job: Job): void;
  /** The details to store with a run: its recipe and the data of its job. */
  detailsOf(recipe: RecipeDetails['recipe'], details: unknown): NewRun['details'];
  /** One page of the ledger, in the order of the input. */
  readLedger(
    run: Run,
    filter: LedgerFilter,
    page: PageRequest,
  ): Promise<{ entries: LedgerEntry[]; total: number; unsearched: number }>;
  /** Counts of the samples of a run by verdict, step and code of the reason. */
  countVerdicts(run: Run): Promise<VerdictCount[]>;
  /**
   * Runs the first samples, or some drawn at random, through the steps and returns the effect of each step; whole-set
   * steps compare these samples only. Writes nothing. Throws RunFailure if it takes too long, SetupError if the steps
   * can't run.
   */
  preview(request: PreviewInput): Promise<PreviewOutcome>;
  /** The effect of steps on given texts, as in `preview`; one sample for each text. Throws the same errors. */
  previewTexts(request: GivenTexts): Promise<PreviewedTexts>;
  /** Receives files for a preview that belong to no dataset; close it afterwards. */
  givenFiles(): GivenFiles;
  /** How fast a step processes texts on one core, measured for `cpuMs` of CPU time or more. Throws SetupError, WorkerLost. */
  measureSpeed(job: SpeedJob): Promise<SpeedResult>;
  /** Measures random samples; writes nothing. Throws RunFailure if it takes too long, SetupError if a step can not run. */
  profile(request: ProfileSampleRequest): Promise<ProfiledSample>;
  /** Defines a kind of runs that measure all samples; call before the runs start. */
  registerProfiles(kind: string, job: Pick<Job, 'inputs' | 'purged'>): void;
  /** The result of a completed run of such a kind. */
  findProfile(runId: string): Promise<StoredProfile | undefined>;
  /** The detected text column of a table; undefined if it can not be detected before the run. */
  findTextField(file: InputFile, encoding?: Encoding | null): Promise<TextField | undefined>;
  /**
   * The first of the given columns or paths that leads to no text in a table's first rows; undefined if all do, or if
   * it can't be determined.
   */
  findMissingField(
    file: InputFile,
    fields: readonly string[],
    encoding?: Encoding | null,
  ): Promise<MissingField | undefined>;
  /** How a run would read a file, from its first bytes. */
  inspect(file: InputFile, encoding?: Encoding | null): Promise<InputLook>;
  /** The beginning of a file as a run reads it. Throws BLOB_MISSING. */
  previewFile(file: InputFile, maxBytes: number): Promise<FileBeginning>;
  /** One sample in a run's ledger. */
  findSample(run: Run, sampleId: string): Promise<FoundSample | undefined>;
  /** The effect of each step on a sample, as in `preview`; throws the same errors, and BLOB_MISSING. */
  traceSample(run: Run, sample: FoundSample): Promise<PreviewSample | undefined>;
  /** How the files of a run were read. */
  readInputs(run: Run, page: PageRequest): Promise<{ inputs: RunInput[]; total: number }>;
  /** The samples of a run that failed, with their bytes where they were set aside, as JSON Lines. */
  streamFailed(run: Run): AsyncGenerator<Buffer>;
  /** Whether bytes of failed samples were set aside with the run. */
  hasSetAside(db: Db, run: Pick<Run, 'id'>): Promise<boolean>;
  /** Counts of the samples with other thresholds, by their stored scores. */
  rethreshold(run: Run, plan: RethresholdPlan): Promise<Rethresholded>;
  /** Counts by step over the finished shards. */
  summarizeSteps(run: Run): Promise<StepSummary[]>;
  /** Counts by dataset over the finished shards; empty for a run that reads only one. */
  countSources(run: Run): Promise<Map<string, Counts>>;
  /** Lineage of the versions of a dataset (`target`), or of the versions made from it (`source`), oldest first. */
  listLineage(role: 'source' | 'target', datasetId: string): Promise<Lineage[]>;
  /** Deletes scratch files of earlier processes; call before the runs start. */
  start(): Promise<void>;
  /** Ends the workers; call after the runs have stopped. */
  stop(): Promise<void>;
};

/** Shard sizes for runs that call models, which may take a second per sample. */
const modelShards = { shardBytes: 256 << 10, shardFiles: 32 };

export function createEngine(options: EngineOptions): Engine {
  const { db, blobs, runs, scratchDirectory } = options;
  const needsOwnPlace = blobs.shared === undefined;
  const documents = options.documents ?? createDocuments();
  const columns = createColumnFiles({ blobs, scratchDirectory });
  const pools = createPools(options, { blobs, documents, columns, scratchDirectory });
  const { previewPool, previewUnpacker, previewTimeoutMs, packages } = pools;
  const previewDeps = {
    blobs,
    documents,
    columns,
    unpacker: previewUnpacker,
    pool: previewPool,
    models: options.models,
    timeoutMs: previewTimeoutMs,
  };
  const drawDeps = {
    ...previewDeps,
    checkedBytes: options.previewCheckedBytes ?? maxCheckedBytes,
    sizes: { ...drawSizes, ...options.drawSizes },
  };
  const searchTexts = createTextSearch({ ...previewDeps, timeoutMs: options.searchTimeoutMs ?? 20_000 });
  const ledgers = createLedgerReader({ db: db.scan, blobs, searchTexts });

  const plan = { shardBytes: options.shardBytes ?? 4 << 20, shardFiles: options.shardFiles ?? 200 };
  const deps: RunDriverDeps = {
    db,
    blobs,
    runs,
    columns,
    ledgers,
    pool: pools.pool,
    lane: options.sandbox?.lane,
    places: pools.places,
    plan,
    comparison: { ...comparisonSizes, ...options.comparison },
    modelWork:
      options.models === undefined
        ? undefined
        : {
            models: options.models,
            pool: pools.modelPool,
            places: pools.modelPlaces,
            plan: {
              shardBytes: Math.min(plan.shardBytes, modelShards.shardBytes),
              shardFiles: Math.min(plan.shardFiles, modelShards.shardFiles),
            },
          },
    scratchDirectory,
    timers: options.timers,
  };

  return {
    register: (area, job) => runs.register(recipeRunKind(deps, { kind: area, needsOwnPlace, job })),
    registerProfiles: (kind, job) => runs.register(profileRunKind(deps, { kind, needsOwnPlace, job })),
    profile: (request) => profileSample(drawDeps, request),
    async findProfile(runId) {
      const row = await findProfile(db.read, runId);
      return row === undefined ? undefined : (JSON.parse(row.figures) as StoredProfile);
    },
    detailsOf: (recipe, details) => ({ recipe, details }) satisfies RecipeDetails,
    readLedger: (run, filter, page) => ledgers.read(run, filter, page),
    countVerdicts: (run) => ledgers.counts(run),
    findSample: (run, sampleId) => ledgers.find(run, sampleId),
    traceSample: (run, sample) => previewSample(previewDeps, run, sample),
    readInputs: (run, page) => readInputs(db.scan, run, page),
    streamFailed: (run) => failedLines({ ledgers, blobs }, run),
    hasSetAside: (connection, run) => hasSetAside(connection, run.id),
    rethreshold: (run, plan) => ledgers.rethreshold(run, plan),
    preview: (request) => previewInput(drawDeps, request),
    givenFiles: () => openGivenFiles({ ...previewDeps, scratchDirectory }),
    previewTexts: (request) => previewTexts({ ...previewDeps, scratchDirectory }, request),
    measureSpeed: (job) => previewPool.run('speed', job, AbortSignal.timeout(previewTimeoutMs)),
    findTextField: (file, encoding) =>
      findTextField({ blobs, columns, unpacker: previewUnpacker }, file, encoding ?? undefined),
    findMissingField: (file, fields, encoding) =>
      findMissingField({ blobs, columns, unpacker: previewUnpacker }, file, fields, encoding ?? undefined),
    inspect: (file, encoding) =>
      inspectInput({ blobs, columns, unpacker: previewUnpacker }, file, encoding ?? undefined),
    previewFile: (file, maxBytes) => previewFile(previewDeps, file, maxBytes),
    summarizeSteps: (run) => summarizeSteps(db.scan, run),
    async countSources(run) {
      const sums = await sumShardsBySource(db.scan, run.id);
      return new Map(sums.map(({ source_dataset_id: datasetId, ...sum }) => [datasetId, countsOf(sum)]));
    },
    async listLineage(role, datasetId) {
      const rows = await listLineage(db.read, role, datasetId);
      const moreSources = await listLineageSources(
        db.read,
        rows.map(({ run_id }) => run_id),
      );
      return rows.map((row) => lineageOf(row, moreSources));
    },
    async start() {
      await rm(scratchDirectory, { recursive: true, force: true });
      await packages?.clear();
    },
    async stop() {
      if (options.documents === undefined) documents.close();
      columns.close();
      await Promise.all([pools.close(), ledgers.close()]);
    },
  };
}
