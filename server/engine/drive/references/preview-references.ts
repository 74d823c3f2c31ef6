import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { OpenReference } from '../job.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { planShards, type ShardSizes } from '../shards/plan.ts';
import { withPieces, type PieceSources } from '../shards/piece-places.ts';
import { shardLimits, type Piece, type Recipe } from '../../orders/shard.ts';
import { createTableCutter, scannerOf } from '../shards/table-cuts.ts';
import { createPreviewFiles } from '../unpacking/preview-files.ts';
import type { Unpacker } from '../unpacking/unpacker.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { IndexJob, ReferenceSignatures, ReferResult } from '../../orders/reference-jobs.ts';
import { nameOfReference, recipeOfReference } from './reference-naming.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';

/** What a preview has read of the datasets that its steps compare with. */
export type PreviewReferences = {
  /** By whole-set step. */
  signatures: ReadonlyMap<number, readonly ReferenceSignatures[]>;
  /** By step over single samples. */
  indexes: ReadonlyMap<number, SharedIndex>;
  compared: ComparedReference[];
};

/** A dataset that a step of a preview compared with; without `isWhole`, only with its first samples. */
export type ComparedReference = {
  step: number;
  datasetId: string;
  dataset: string;
  version: number | null;
  samples: number;
  isWhole: boolean;
};

/** A preview reads this much of each dataset. */
const readSamples = 5000;
const readBytes = 16 << 20;
const plan: ShardSizes = { shardBytes: 4 << 20, shardFiles: 100 };
/** A larger table is cut without a scan, which would read all of it. */
const scannedBytes = 64 << 20;

type Deps = Omit<PieceSources, 'unpacked'> & { unpacker: Unpacker; pool: ThreadPool };
type ReadShard = ReferResult & { firstRow: number; firstLine: number };

/** Reads the beginning of the datasets that the steps of a preview compare with. Throws RunFailure, SetupError. */
export async function readPreviewReferences(
  deps: Deps,
  { recipe, open, signal }: { recipe: Recipe; open: OpenReference | undefined; signal: AbortSignal },
): Promise<PreviewReferences> {
  const signatures = new Map<number, ReferenceSignatures[]>();
  const indexes = new Map<number, SharedIndex>();
  const compared: ComparedReference[] = [];
  const referring = await deps.pool.run('referringSteps', recipe, signal);
  const setSteps = referring.length === 0 ? [] : await deps.pool.run('setSteps', recipe, signal);
  for (const { step, references } of referring) {
    if (open === undefined) throw new RangeError('Nothing opens the datasets that the steps name');
    const operator = recipe.steps[step]?.operatorId ?? '';
    const own: ReferenceSignatures[] = [];
    const shards: IndexJob['shards'][number][] = [];
    for (const reference of references) {
      const source = await open(reference);
      const dataset = nameOfReference(source, reference);
      const given = { recipe: recipeOfReference(recipe, step, reference), dataset, files: source.files, signal };
      const { read, isWhole } = await readBeginning(deps, given);
      const about = { step: step + 1, operator, dataset };
      const samples = read.reduce((sum, shard) => sum + shard.samples, 0);
      const unread = read.reduce((sum, shard) => sum + shard.unread, 0);
      if (samples === 0) throw new RunFailure(runSentences.REFERENCE_EMPTY.reason(about));
      if (samples === unread) {
        const why = read.find(({ examples }) => examples.length > 0)?.examples[0]?.problem ?? '';
        throw new RunFailure(runSentences.REFERENCE_UNREADABLE.reason({ ...about, samples, why }));
      }
      const { datasetId, version = null } = reference;
      compared.push({ step, datasetId, dataset: source.name, version, samples: samples - unread, isWhole });
      for (const { signatures: bytes, firstRow, firstLine } of read) {
        own.push({ bytes, firstRow });
        shards.push({ dataset, keys: bytes, firstRow, firstLine });
      }
    }
    if (setSteps.includes(step)) signatures.set(step, own);
    else indexes.set(step, await deps.pool.run('index', { shards }, signal));
  }
  return { signatures, indexes, compared };
}

async function readBeginning(
  deps: Deps,
  given: { recipe: Recipe; dataset: string; files: Awaited<ReturnType<OpenReference>>['files']; signal: AbortSignal },
): Promise<{ read: ReadShard[]; isWhole: boolean }> {
  const { recipe, dataset, signal } = given;
  const files = createPreviewFiles(deps.unpacker);
  const cutter = createTableCutter({ scan: scannerOf(deps), plan }, { recipe, signal });
  const options = {
    ...plan,
    cutTable: async (...[file, format]: Parameters<typeof cutter>) =>
      file.sizeBytes <= scannedBytes ? cutter(file, format) : undefined,
    cutColumn: (file: Parameters<typeof deps.columns.cut>[0]) =>
      deps.columns.cut(file, {
        fields: fieldsOf(recipe, file.path),
        where: [],
        stepBytes: plan.shardBytes,
        firstRows: readSamples,
        isChecked: file.sizeBytes <= scannedBytes,
        signal,
      }),
  };
  const read: ReadShard[] = [];
  let [samples, bytes] = [0, 0];
  let next = { firstRow: 0, firstLine: 0 };
  let isWhole = true;
  try {
    for await (const { pieces, filePart, bytes: size } of planShards(
      files.unpackInputs(given.files, signal),
      options,
    )) {
      if (samples >= readSamples || bytes >= readBytes) {
        isWhole = false;
        break;
      }
      if (filePart === 0) next = { firstRow: 0, firstLine: 0 };
      const sources = { ...deps, unpacked: files.paths };
      const shard = await readPieces(sources, { recipe, dataset, pieces, limit: readSamples - samples, signal });
      read.push({ ...shard, ...next });
      samples += shard.samples;
      bytes += size;
      next = { firstRow: next.firstRow + shard.rows, firstLine: next.firstLine + shard.lines };
      if (shard.isCut) isWhole = false;
    }
    return { read, isWhole: isWhole && files.cutPaths.length === 0 };
  } finally {
    await files.close();
  }
}

async function readPieces(
  deps: PieceSources & { pool: ThreadPool },
  {
    recipe,
    dataset,
    pieces,
    limit,
    signal,
  }: { recipe: Recipe; dataset: string; pieces: readonly Piece[]; limit: number; signal: AbortSignal },
): Promise<ReferResult> {
  try {
    return await withPieces(deps, { pieces, maxDocuments: limit, signal }, (placed) => {
      const job = { recipe, pieces: placed, poison: [], verdicts: [], limits: shardLimits, dataset, limit };
      return deps.pool.run('refer', job, signal);
    });
  } catch (error) {
    if (!(error instanceof WorkerLost)) throw error;
    throw new RunFailure(runSentences.REFERENCE_NOTE.reason({ dataset, note: error.reason }), { cause: error });
  }
}
