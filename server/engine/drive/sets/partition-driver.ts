import { runSentences } from '../../../kernel/sentences/index.ts';
import { maxGroup } from '../../../operators/index.ts';
import { RunLetGo } from '../../../runs/index.ts';
import type { Drive } from '../drive-context.ts';
import { insertSetPart, listSetParts } from '../queries/set-steps.ts';
import { workThrough } from '../shards/shard-queue.ts';
import type { PoolTasks } from '../shards/worker-pool.ts';
import type { ComparisonSizes } from './comparison-sizes.ts';
import type { KeyCut, PartitionFacts, PartitionWork } from '../../orders/partition-jobs.ts';
import { runReduction } from './reduction-run.ts';
import { sectionOf, type Sections } from '../../orders/sections.ts';

/** A shard of the set, in the order of the input, reference shards first. */
export type ComparedShard = { signaturesId: string; firstRow: number; samples: number };

/** Up to this many words are stored in each entry; more are looked up. */
const fewWords = 4;

type Keys = PoolTasks['keys']['result'];

/** Stored, so that a comparison continues after a restart as it began, even with a release that has other sizes. */
type ComparisonPlan = Pick<ComparisonSizes, 'fanIn' | 'collatedBytes'> & { cut: KeyCut };

type StoredFile = { file: string; facts: PartitionFacts };

/** Whether all samples fit into one worker at once; as in `reduceDuplicates`. */
export function fitsWorker({ keys }: Keys, samples: number, { wholeBytes }: ComparisonSizes): boolean {
  return samples * (4 * keys + 30) <= wholeBytes;
}

/**
 * Finds duplicates key by key: samples are sorted by partition, each partition is compared separately, and one pass
 * over the similar pairs decides. Each file that a job writes is a checkpoint. The caller settles the verdicts.
 */
export async function comparePartitions(
  drive: Drive,
  step: number,
  given: { keys: Keys; references: readonly ComparedShard[]; shards: readonly ComparedShard[] },
): Promise<PoolTasks['reduce']['result']> {
  const { keys, words } = given.keys;
  const all = [...given.references, ...given.shards];
  const references = given.references.length;
  const plan = await planOf(drive, step, given.keys, all);
  const { cut, fanIn } = plan;

  const groups = groupShards(all, words, plan);
  const collated = await workOnStage(drive, step, { stage: 'COLLATE', parts: groups.length, plan }, (part) => ({
    stage: 'COLLATE',
    cut,
    shards: (groups[part] ?? []).map((shard) => ({ notes: all[shard]?.signaturesId ?? '', shard })),
  }));
  const counts = collated.flatMap(({ facts }) => facts.counts ?? []);
  const merged = await narrow(drive, step, { stage: 'MERGE', fanIn }, collated);

  const matched = await workOnStage(drive, step, { stage: 'MATCH', parts: keys * cut.slices }, (partition) => ({
    stage: 'MATCH',
    cut,
    references,
    parts: merged
      .map(({ file, facts }) => ({ file, section: sectionOf(facts.sections, partition) }))
      .filter(({ section }) => section.to > section.from),
    signed: cut.hasWords ? [] : all.map(({ signaturesId }) => signaturesId),
  }));
  const crowded = matched.reduce((sum, { facts }) => sum + (facts.crowded ?? 0), 0);
  const joined = await narrow(drive, step, { stage: 'JOIN', fanIn }, matched);

  const { part, facts } = await runReduction(drive, step, 'partition', {
    recipe: drive.run.recipe,
    step,
    work: {
      stage: 'SETTLE',
      files: joined.map(toSectionFile),
      shards: all.map(({ signaturesId: notes, firstRow }) => ({ notes, firstRow })),
      references,
      counts,
    },
  });
  const { about } = given.keys;
  const notes: PoolTasks['reduce']['result']['notes'] = about === undefined ? [] : [{ message: about, level: 'INFO' }];
  if (crowded > 0) {
    notes.push({ message: runSentences.DUPLICATES_CROWDED.reason({ times: crowded, limit: maxGroup }), level: 'WARN' });
  }
  const count = counts.slice(references).reduce((sum, one) => sum + one, 0);
  return { count, dropped: facts.dropped ?? 0, notes, verdicts: part };
}

async function planOf(
  { db, run, comparison, blobs }: Drive,
  step: number,
  { words }: Keys,
  all: readonly ComparedShard[],
): Promise<ComparisonPlan> {
  const [begun] = await listSetParts(db.read, run.id, step, 'COLLATE');
  if (begun !== undefined) return (JSON.parse(begun.facts) as { plan: ComparisonPlan }).plan;
  const samples = all.reduce((sum, one) => sum + one.samples, 0);
  const { partitionSamples, fanIn, collatedBytes } = comparison;
  const slices = Math.max(1, Math.ceil(samples / partitionSamples));
  // Single samples are read quickly from a disk, but not from an object store.
  return { fanIn, collatedBytes, cut: { slices, hasWords: words <= fewWords || blobs.shared !== undefined } };
}

/** The numbers of the shards that one job sorts, for each job. */
function groupShards(
  all: readonly ComparedShard[],
  words: number,
  { cut, fanIn, collatedBytes }: ComparisonPlan,
): number[][] {
  const sampleBytes = 4 * (cut.hasWords ? 2 * words + 6 : 6);
  const groups: number[][] = [];
  let bytes = Infinity;
  for (const [shard, { samples }] of all.entries()) {
    bytes += samples * sampleBytes;
    const last = groups.at(-1);
    if (last === undefined || last.length === fanIn || bytes > collatedBytes) {
      groups.push([shard]);
      bytes = samples * sampleBytes;
    } else last.push(shard);
  }
  return groups;
}

const toSectionFile = ({ file, facts }: StoredFile): { file: string; sections: Sections } => ({
  file,
  sections: facts.sections,
});

/** Merges many files into a few, leaving out empty ones. */
async function narrow(
  drive: Drive,
  step: number,
  { stage, fanIn }: { stage: 'MERGE' | 'JOIN'; fanIn: number },
  stored: readonly StoredFile[],
): Promise<StoredFile[]> {
  let files = stored.filter(({ facts }) => (facts.sections.ends.at(-1) ?? 0) > 0);
  for (let level = 1; files.length > fanIn; level += 1) {
    const before = files;
    const parts = Math.ceil(before.length / fanIn);
    files = await workOnStage(drive, step, { stage: `${stage}-${level}`, parts }, (part) => ({
      stage,
      files: before.slice(part * fanIn, (part + 1) * fanIn).map(toSectionFile),
    }));
  }
  return files;
}

/** Does the unfinished jobs of a stage; returns the files of all its jobs. */
async function workOnStage(
  drive: Drive,
  step: number,
  { stage, parts, plan }: { stage: string; parts: number; plan?: ComparisonPlan },
  workOf: (part: number) => PartitionWork<string>,
): Promise<StoredFile[]> {
  const { db, blobs, run, context, places } = drive;
  const done = new Set((await listSetParts(db.read, run.id, step, stage)).map(({ part_no }) => part_no));
  const waiting = Array.from({ length: parts }, (_, part) => part).filter((part) => !done.has(part));
  await workThrough(
    {
      isFirstAlone: context.isSuspect,
      listWaiting: async (after, limit) => waiting.filter((part) => part > after).slice(0, limit),
      acquire: () => places.comparisons.acquire(run.id),
      async work(part_no, signal) {
        const job = { recipe: run.recipe, step, work: workOf(part_no) };
        const { part, facts } = await runReduction(drive, step, 'partition', job, signal);
        const row = {
          run_id: run.id,
          step,
          stage,
          part_no,
          blob_id: part.id,
          facts: JSON.stringify({ ...facts, plan }),
        };
        try {
          await context.checkpoint({}, async (tx) => {
            if (!(await insertSetPart(tx, row))) throw new RunLetGo('The partition is compared already');
            await blobs.adopt(tx, [part]);
          });
        } finally {
          await blobs.settle([part]);
        }
      },
    },
    context.signal,
  );
  const rows = await listSetParts(db.read, run.id, step, stage);
  return rows.map(({ blob_id: file, facts }) => ({ file, facts: JSON.parse(facts) as PartitionFacts }));
}
