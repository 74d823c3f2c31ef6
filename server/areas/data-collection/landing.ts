import type { FailureCounts } from '../../kernel/failure-counts.ts';
import { numberedName } from '../../kernel/file-path.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { reasonColumns, runSentences } from '../../kernel/sentences/index.ts';
import { countFailure, noCounts, RunFailure, type CheckpointProgress } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { CollectionItemsTable, CollectionStatesTable } from '../../storage/database/tables/data-collection.ts';
import { fileNameOf } from '../../kernel/file-path.ts';
import type { AddOutcome, NewFile } from '../data-management/index.ts';
import { keyOf, type Collection } from './drive.ts';
import { collectionSentences } from './sentences.ts';
import { listRestampedItems, listStagedItems, settleItems, type LandedItem } from './queries/items.ts';
import { findCollectionRun, saveCollectionRun } from './queries/runs.ts';
import { findPathHolders, findState, findStates, restampStates, upsertStates } from './queries/states.ts';
import { partPath } from './row-reading.ts';

const landedAtOnce = 500;

/**
 * Adds everything that the run has fetched to the dataset, as one version, together with the state that later runs compare with:
 * one transaction, so that nothing is lost or fetched twice however the run ends.
 */
export async function land(collection: Collection): Promise<void> {
  const { context, run } = collection;
  await context.checkpoint({ phase: 'LAND' }, async (tx, add) => {
    await restamp(collection, tx);
    const [first] = await listStagedItems(tx, run.id, -1, 1);
    if (first === undefined) return;
    const version = await landStaged(collection, tx, add);
    const row = await findCollectionRun(tx, run.id);
    if (row !== undefined) await saveCollectionRun(tx, { ...row, landed_version: version });
  });
}

async function landStaged(
  collection: Collection,
  tx: Tx,
  add: (progress: CheckpointProgress) => Promise<void>,
): Promise<number> {
  const { run, details, datasets } = collection;
  const datasetId = await openTarget(collection, tx);
  const outcomes: AddOutcome[] = [];
  const { version } = await datasets.commit.addAll(
    tx,
    {
      datasetId,
      by: run.createdBy,
      onConflict: details.onConflict,
      message: collectionSentences.COLLECTED_BY.reason({ task: details.taskName }),
      slices: slicesOf(collection, tx, { outcomes, add }),
      ...(details.fromStart ? { ending: { fileIds: earlierParts(collection, tx, datasetId) } } : {}),
    },
    (outcome) => void outcomes.push(outcome),
  );
  return version;
}

/** The task's dataset, which is created by its first run. */
async function openTarget({ tasks, datasets, run }: Collection, tx: Tx): Promise<string> {
  const task = await tasks.lock(tx, run.taskId);
  if (task === undefined) throw new RunFailure(runSentences.TASK_DELETED.reason({}));
  const { targetDatasetId, targetDatasetName: name, targetDatasetType: type } = task.definition;
  if (targetDatasetId !== null) return targetDatasetId;
  const id = await datasets.insert(tx, { name, type }, run.createdBy);
  await tasks.redefine(tx, task.id, { ...task.definition, targetDatasetId: id });
  return id;
}

type Landing = { outcomes: AddOutcome[]; add: (progress: CheckpointProgress) => Promise<void> };

/** The staged files; the outcome of each slice is recorded before the next one is read. */
async function* slicesOf(collection: Collection, tx: Tx, { outcomes, add }: Landing): AsyncGenerator<NewFile[]> {
  const { run } = collection;
  for (let after = -1; ;) {
    const items = await listStagedItems(tx, run.id, after, landedAtOnce);
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.item_no;
    const placed = await placeItems(collection, tx, items);
    outcomes.length = 0;
    yield placed.map(({ file }) => file);
    await recordOutcomes(collection, tx, { placed, outcomes, add });
  }
}

type Placed = { item: CollectionItemsTable; file: NewFile };

/** Gives each item its path: the same as in the earlier run, or else the wanted one or, if another item has it, a free one. */
async function placeItems(collection: Collection, tx: Tx, items: readonly CollectionItemsTable[]): Promise<Placed[]> {
  const { run } = collection;
  const keys = items.flatMap(({ item_key: key }) => key ?? []);
  const known = new Map((await findStates(tx, run.taskId, keys)).map((state) => [state.item_key, state]));
  const holders: Holders = new Map();
  await learnHolders(
    tx,
    run.taskId,
    holders,
    items.flatMap(({ path }) => path ?? []),
  );
  const placed: Placed[] = [];
  for (const item of items) {
    const key = item.item_key ?? '';
    const earlier = known.get(key)?.path;
    const path = earlier ?? (await freePath(tx, run.taskId, holders, { key, wanted: item.path ?? '' }));
    holders.set(keyOf(path), key);
    placed.push({ item, file: fileOf(collection, item, { path, isOwn: earlier !== undefined }) });
  }
  return placed;
}

/** Which item holds a path; undefined for one that is free. */
type Holders = Map<string, string | undefined>;

async function learnHolders(tx: Tx, taskId: string, holders: Holders, paths: readonly string[]): Promise<void> {
  const unknown = [...new Set(paths.map(keyOf))].filter((pathKey) => !holders.has(pathKey));
  if (unknown.length === 0) return;
  for (const pathKey of unknown) holders.set(pathKey, undefined);
  for (const { item_key, path_key } of await findPathHolders(tx, taskId, unknown)) holders.set(path_key, item_key);
}

/** `a (1).txt` if another item holds `a.txt`: two URLs may end alike. */
async function freePath(
  tx: Tx,
  taskId: string,
  holders: Holders,
  { key, wanted }: { key: string; wanted: string },
): Promise<string> {
  let path = wanted;
  for (let number = 1; ; number += 1) {
    await learnHolders(tx, taskId, holders, [path]);
    const holder = holders.get(keyOf(path));
    if (holder === undefined || holder === key) return path;
    path = numberedName(wanted, number) ?? keyOf(key);
  }
}

function fileOf(
  { run, details }: Collection,
  item: CollectionItemsTable,
  { path, isOwn }: { path: string; isOwn: boolean },
): NewFile {
  return {
    path,
    originalName: fileNameOf(item.path ?? path),
    sizeBytes: item.size_bytes ?? 0,
    status: 'COMPLETED',
    blobId: item.staged_blob_id,
    origin: {
      connector: details.connector.type,
      name: item.name,
      taskId: run.taskId,
      runId: run.id,
      fetchedAt: item.fetched_at,
      ...(item.evidence === null ? {} : { evidence: JSON.parse(item.evidence) as Record<string, unknown> }),
    },
    // Files that the task itself collected earlier are replaced, whatever the policy.
    ...(isOwn || item.set_key !== null ? { onConflict: 'REPLACE' as const } : {}),
  };
}

async function recordOutcomes(
  { blobs, run }: Collection,
  tx: Tx,
  { placed, outcomes, add }: Landing & { placed: readonly Placed[] },
): Promise<void> {
  const landed: LandedItem[] = [];
  const states: CollectionStatesTable[] = [];
  const refused: string[] = [];
  const counts = { ...noCounts };
  const failures: FailureCounts = new Map();
  for (const [index, { item }] of placed.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error(`Item ${item.item_no} of run ${run.id} has no outcome`);
    const { item_no, inputs } = item;
    if (outcome.kind === 'conflict') {
      const reason = reasonOf(outcome.error);
      landed.push({ item_no, verdict: 'FAILED', ...reasonColumns('reason', reason), path: item.path });
      if (item.staged_blob_id !== null) refused.push(item.staged_blob_id);
      counts.kept -= inputs;
      counts.emitted -= inputs;
      counts.failed += inputs;
      countFailure(failures, reason, inputs);
    } else {
      const { path } = outcome.file;
      landed.push({ item_no, verdict: 'KEPT', ...reasonColumns('reason', null), path });
      states.push(await stateOf(tx, run.taskId, item, path));
    }
  }
  await settleItems(tx, run.id, landed);
  // Several parts of one set of rows have one state: the last one counts.
  const latest = new Map(states.map((state) => [state.item_key, state]));
  if (latest.size > 0) await upsertStates(tx, [...latest.values()]);
  if (refused.length > 0) {
    await blobs.release(tx, refused);
    await add({ counts, failures });
  }
}

const partNumber = /\/part-(\d{6,})\.(?:jsonl|parquet)$/;

async function stateOf(
  tx: Tx,
  taskId: string,
  item: CollectionItemsTable,
  path: string,
): Promise<CollectionStatesTable> {
  const state = {
    task_id: taskId,
    item_key: item.item_key ?? '',
    name: item.name,
    path,
    path_key: keyOf(path),
    stamp: item.stamp,
    blob_id: item.staged_blob_id,
    size_bytes: item.size_bytes ?? 0,
    position: null,
    parts: 0,
    fetched_at: item.fetched_at,
  };
  if (item.set_key === null || item.set_key === item.item_key) return state;
  const parts = Number(partNumber.exec(path)?.[1] ?? 0);
  const earlier = parts === 1 ? undefined : await findState(tx, taskId, item.set_key);
  const folder = path.replace(partNumber, '');
  return {
    ...state,
    item_key: item.set_key,
    name: item.name.replace(/, new rows \d+ to \d+$/, ''),
    path: folder,
    path_key: keyOf(folder),
    blob_id: null,
    size_bytes: state.size_bytes + (earlier?.size_bytes ?? 0),
    position: item.position,
    parts,
  };
}

/** The earlier row files whose rows a run from the start has read again into fewer or other files. */
async function* earlierParts({ run, datasets }: Collection, tx: Tx, datasetId: string): AsyncGenerator<string[]> {
  const setKeys = new Set<string>();
  for (let after = -1; ;) {
    const items = await listStagedItems(tx, run.id, after, landedAtOnce);
    const last = items.at(-1);
    if (last === undefined) break;
    after = last.item_no;
    for (const { set_key: key } of items) if (key !== null) setKeys.add(key);
  }
  const dataset = await datasets.find(tx, datasetId);
  if (dataset === undefined) return;
  for (const state of await findStates(tx, run.taskId, [...setKeys])) {
    if (state.parts === 0) continue;
    const numbers = Array.from({ length: state.parts }, (_part, index) => index + 1);
    const own = new Set(
      (['jsonl', 'parquet'] as const).flatMap((extension) =>
        numbers.map((number) => partPath(state.path, number, extension)),
      ),
    );
    const selection = { datasetId, version: dataset.version, prefix: state.path, fileTypes: [] };
    for await (const files of datasets.walkFiles(tx, selection))
      yield files.filter(({ path }) => own.has(path)).map(({ fileId }) => fileId);
  }
}

/** Stores new validators of unchanged content. */
async function restamp({ run }: Collection, tx: Tx): Promise<void> {
  for (let after = -1; ;) {
    const items = await listRestampedItems(tx, run.id, after, landedAtOnce);
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.item_no;
    const stamps = items.map(({ item_key, stamp }) => ({ item_key: item_key ?? '', stamp }));
    await restampStates(tx, run.taskId, stamps);
  }
}
