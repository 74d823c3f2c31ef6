import { reasonWith, runSentences } from '../../../kernel/sentences/index.ts';
import { drawSamples, type DrawnSamples } from '../draws/draw.ts';
import type { InputFile, OpenReference } from '../job.ts';
import type { FoundSample } from '../ledger/ledger-reader.ts';
import { planShards, type ColumnCuts, type PlanOptions, type ShardSizes } from '../shards/plan.ts';
import type {
  PreviewResult,
  PreviewStepCounts,
  PreviewJob,
  PreviewSample,
  RecordedOutcome,
} from '../../orders/preview-jobs.ts';
import { createPreviewModels, noUsage, type PreviewUsage } from '../models/preview-models.ts';
import type { Models } from '../../../models/index.ts';
import { RunFailure, type Run } from '../../../runs/index.ts';
import { reasonIn } from '../../orders/ledger-entry.ts';
import { recipeOf } from '../recipe-run.ts';
import {
  readPreviewReferences,
  type ComparedReference,
  type PreviewReferences,
} from '../references/preview-references.ts';
import { createPreviewFiles } from '../unpacking/preview-files.ts';
import type { Unpacker } from '../unpacking/unpacker.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { needWholeRows } from '../../orders/sample-parts.ts';
import { shardLimits, type Piece, type Poison, type Recipe } from '../../orders/shard.ts';
import { withPieces, type PieceSources } from '../shards/piece-places.ts';
import { createTableCutter, scannerOf } from '../shards/table-cuts.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { describeLoss, WorkerLost } from '../pools/worker-lost.ts';
import type { DrawDeps } from '../draws/stratum.ts';

/** Input of a preview. */
export type PreviewInput = Recipe & {
  /** In path order; read only as far as the samples need. */
  inputs: AsyncIterable<readonly InputFile[]>;
  /** Number of samples to show. */
  limit: number;
  /** Draws the samples at random instead of taking the first ones. */
  sample?: { seed: number };
  /** Maximum length of shown texts, in UTF-16 units; at most and by default `maxPreviewText`. */
  maxTextLength?: number;
  /** Side of the thumbnails of pictures, in pixels; by default none are made. */
  pictureSide?: number;
  /** Opens the datasets that the steps compare with, if they name any. */
  reference?: OpenReference;
};

/** Result of a preview. */
export type PreviewOutcome = {
  samples: PreviewSample[];
  /** Counts of each step over these samples. */
  steps: PreviewStepCounts[];
  /**
   * Files of these samples that were not verified: a checksum covers the whole file, and reading all of a large file
   * would take too long.
   */
  uncheckedFiles: string[];
  /** The datasets that the steps were compared with. */
  compared: ComparedReference[];
  /** Model usage of the steps. */
  asked: PreviewUsage;
  /** For samples drawn at random: what they were drawn from. */
  drawn?: Pick<DrawnSamples, 'from' | 'total' | 'isExact'>;
};

export type PreviewDeps = Omit<PieceSources, 'unpacked'> & {
  unpacker: Unpacker;
  pool: ThreadPool;
  /** Without it, no step can call a model. */
  models?: Pick<Models, 'chat' | 'registry'> | undefined;
  timeoutMs: number;
};

/** Larger files are verified only by runs; a preview writes nothing. */
export const maxCheckedBytes = 1 << 30;

/** Maximum length of texts in a preview, in UTF-16 units. */
export const maxPreviewText = 20_000;

/** Maximum side of thumbnails, in pixels; always used when a single sample is shown. */
export const maxPictureSide = 640;
/** A third of a preview's time, so that thumbnails can't cost it its verdicts. */
export const pictureLimits = { bytes: 8 << 20, ms: 10_000 };

/** Small pieces, so that a preview of a large file reads little more than it shows. */
const plan: ShardSizes = { shardBytes: 1 << 20, shardFiles: 100 };

/** Samples that crash the worker fail; with more than this many, the preview fails. */
const maxPoison = 5;

/**
 * Runs the first samples, or some drawn at random, through the steps in its own thread; writes nothing. Files up to
 * `checkedBytes` are verified. Throws RunFailure or SetupError.
 */
export async function previewInput(
  deps: PreviewDeps & Pick<DrawDeps, 'checkedBytes' | 'sizes'>,
  request: PreviewInput,
): Promise<PreviewOutcome> {
  const { inputs, limit, sample, maxTextLength = maxPreviewText, pictureSide, reference: open, ...recipe } = request;
  const { compared, ...references } = await withinTime(deps.timeoutMs, (signal) =>
    readPreviewReferences(deps, { recipe, open, signal }),
  );
  const shown = {
    firstRow: 0,
    firstLine: 0,
    skip: 0,
    limit,
    maxTextLength,
    ...(pictureSide === undefined ? {} : { pictures: { ...pictureLimits, side: pictureSide } }),
    decided: 'compare' as const,
    ...references,
  };
  if (sample !== undefined) {
    const files = createPreviewFiles(deps.unpacker);
    try {
      const { pieces, uncheckedFiles, ...drawn } = await withinTime(deps.timeoutMs, (signal) =>
        drawSamples({ ...deps, files }, { recipe, inputs, size: limit, seed: sample.seed, signal }),
      );
      const previewed = await previewPieces({ ...deps, unpacked: files.paths }, { ...shown, recipe, pieces });
      return { ...previewed, uncheckedFiles, compared, drawn };
    } finally {
      await files.close();
    }
  }
  const pieces: Piece[] = [];
  const signal = AbortSignal.timeout(deps.timeoutMs);
  const unchecked = new Set<string>();
  const isChecked = ({ path, sizeBytes, packed }: InputFile): boolean => {
    if (packed !== undefined) return false;
    if (sizeBytes > deps.checkedBytes) unchecked.add(path);
    return sizeBytes <= deps.checkedBytes;
  };
  let isWholeRow: boolean | undefined;
  const cutColumn = async (file: InputFile): Promise<ColumnCuts> => {
    isWholeRow ??= needWholeRows(await deps.pool.run('parts', recipe, signal));
    const fields = fieldsOf(recipe, file.path);
    const where = (recipe.where ?? []).map(({ field }) => field);
    const step = { stepBytes: plan.shardBytes, firstRows: limit };
    const options = { fields, where, isWholeRow, ...step, isChecked: isChecked(file), signal };
    return deps.columns.cut(file, options);
  };
  const cutter = createTableCutter({ scan: scannerOf(deps), plan }, { recipe, signal });
  const cutTable: PlanOptions['cutTable'] = async (file, format) =>
    isChecked(file) ? cutter(file, format) : undefined;
  const files = createPreviewFiles(deps.unpacker);
  try {
    for await (const shard of planShards(files.unpackInputs(inputs, signal), { ...plan, cutColumn, cutTable })) {
      pieces.push(...shard.pieces);
      if (pieces.length >= limit) break;
    }
    const { samples, steps, asked } = await previewPieces(
      { ...deps, unpacked: files.paths },
      { ...shown, recipe, pieces },
    );
    const paths = new Set(samples.map(({ filePath }) => filePath));
    const uncheckedFiles = [...unchecked, ...files.cutPaths].filter((path) => paths.has(path));
    return { samples, steps, asked, uncheckedFiles, compared };
  } finally {
    await files.close();
  }
}

/**
 * Runs one sample of a run through the run's steps again; decisions of whole-set steps are taken from the ledger.
 * Throws as `previewInput` does, and BLOB_MISSING if the sample's file was erased meanwhile.
 */
export async function previewSample(
  deps: PreviewDeps,
  run: Pick<Run, 'details'>,
  { place, shard, pieces }: FoundSample,
): Promise<PreviewSample | undefined> {
  const [index, row, , step = null, , scores, , , , matches] = place.line;
  const { reason: text, sentence } = reasonIn(place.line);
  const reason = text === null ? null : reasonWith(text, sentence);
  const piece = pieces[index];
  if (piece === undefined) return undefined;
  // Finding the row requires counting all rows before it, samples or not.
  const { only: _only, ...whole } = piece;
  const figure = step === null ? undefined : scores?.[step];
  const score = typeof figure === 'number' ? figure : undefined;
  const decided = step === null || reason === null || score === undefined ? [] : [{ step, score, reason }];
  const recorded = new Map(
    Object.entries(scores ?? {}).flatMap(([key, one]): [number, RecordedOutcome][] => {
      const at = Number(key);
      // A named figure did not decide.
      if (!Number.isInteger(at)) return [];
      const outcome = { score: typeof one === 'number' ? one : one[0], matches: matches?.[key] ?? [] };
      return [[at, { ...outcome, reason: at === step ? reason : null }]];
    }),
  );
  const job = {
    recorded,
    recipe: recipeOf(run),
    pieces: [whole],
    firstRow: shard.first_row,
    firstLine: shard.first_line,
    skip: row ?? 0,
    limit: 1,
    decided,
  };
  const files = createPreviewFiles(deps.unpacker);
  try {
    await files.unpackPiece(piece, AbortSignal.timeout(deps.timeoutMs));
    const pictures = { ...pictureLimits, side: maxPictureSide };
    const shown = { ...job, maxTextLength: maxPreviewText, pictures };
    const { samples } = await previewPieces({ ...deps, unpacked: files.paths }, shown);
    return samples[0];
  } finally {
    await files.close();
  }
}

type Pieces = Pick<PreviewJob, 'recipe' | 'firstRow' | 'firstLine' | 'skip' | 'limit' | 'maxTextLength' | 'decided'> &
  Partial<Omit<PreviewReferences, 'compared'> & Pick<PreviewJob, 'recorded' | 'pictures'>> & {
    pieces: readonly Piece[];
  };

/** Runs the samples of known pieces through the steps, like `previewInput`. */
export async function previewPieces(
  deps: PieceSources & Pick<PreviewDeps, 'pool' | 'models' | 'timeoutMs'>,
  { pieces, signatures, ...rest }: Pieces,
): Promise<PreviewResult & { asked: PreviewUsage }> {
  return withinTime(deps.timeoutMs, (signal) => {
    const wanted = { pieces, maxDocuments: rest.skip + rest.limit, signal };
    return withPieces(deps, wanted, (placed) => {
      const references = signatures === undefined ? {} : { references: signatures };
      const job = { ...rest, ...references, pieces: placed, limits: shardLimits, verdicts: [] };
      return runPreview(deps, job, signal);
    });
  });
}

/** Throws RunFailure if the work takes longer. */
export async function withinTime<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new RunFailure(runSentences.OVER_TIME.reason({ seconds: timeoutMs / 1000 }));
  }
}

async function runPreview(
  { pool, models }: Pick<PreviewDeps, 'pool' | 'models'>,
  job: Omit<PreviewJob, 'poison'>,
  signal: AbortSignal,
): Promise<PreviewResult & { asked: PreviewUsage }> {
  // The run already paid for the replies about its sample.
  const use = models === undefined ? undefined : createPreviewModels(models, { knownOnly: job.recorded !== undefined });
  const poison: Poison[] = [];
  let suspects: PreviewJob['suspects'];
  for (;;) {
    try {
      const given = { ...job, poison, ...(suspects === undefined ? {} : { suspects }) };
      return { ...(await pool.run('preview', given, signal, { models: use })), asked: use?.usage ?? noUsage };
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (error.last > error.ordinal) {
        // A sample of a batch crashed the worker: each is retried alone.
        suspects = { from: error.ordinal, to: error.last };
        continue;
      }
      const reason = describeLoss(error, job.recipe.steps[error.step]?.operatorId);
      if (error.ordinal < 0 || poison.length === maxPoison) throw new RunFailure(reason);
      poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason });
    }
  }
}
