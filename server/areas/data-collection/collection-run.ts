import { setTimeout } from 'node:timers/promises';
import type { Reason, SentenceParams } from '../../kernel/sentences/index.ts';
import { collectionSentences } from './sentences.ts';
import { SourceError, type FileItem, type SourceItem } from '../../connectors/index.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import { type Failure, type Run, type RunContext, RunFailure, type RunKind } from '../../runs/index.ts';
import { redact, redactAll } from '../../secrets/index.ts';
import type { CollectionDetails } from './definition.ts';
import type { Collection, CollectionServices } from './drive.ts';
import { fetchFile } from './file-fetching.ts';
import { openItemRecords, type ItemRecords, type ItemVerdict } from './item-records.ts';
import { forgetGoneFiles } from './gone-files.ts';
import { land } from './landing.ts';
import { clearStagedBlobs, copyItems, deleteItems, listStagedBlobs, listUnlisted } from './queries/items.ts';
import { deleteNotes, moveNotes } from './queries/notes.ts';
import { deleteCollectionRun, findCollectionRun, saveCollectionRun } from './queries/runs.ts';
import { readRows } from './row-reading.ts';
import { failDamagedItems } from './staged-check.ts';
import { findConnector, findSecrets, secretTextsOf } from './source-config.ts';

const defaultParallel = 4;
/** Most names in one line of the log. */
const namedAtMost = 20;

/** Runs that fetch what a source offers and land it in a dataset. */
export function createCollectionKind(services: CollectionServices): RunKind {
  const { blobs } = services;
  return {
    kind: 'data-collection',
    // Fetched content is in the data folder of the process until it lands, unless all have one storage.
    needsOwnPlace: blobs.shared === undefined,
    drive: (run, context) => driveCollection(services, run, context),
    trace(run) {
      const { taskName, connector } = run.details as CollectionDetails;
      return { taskName, connector: connector.type };
    },

    async resume(tx, fromRunId, toRunId) {
      const row = await findCollectionRun(tx, fromRunId);
      if (row !== undefined) await saveCollectionRun(tx, { ...row, run_id: toRunId, landed_version: null });
      await copyItems(tx, fromRunId, toRunId);
      await moveNotes(tx, fromRunId, toRunId);
      await clearStagedBlobs(tx, fromRunId);
    },

    async release(tx, runId) {
      const ids = await listStagedBlobs(tx, runId);
      if (ids.length > 0) await blobs.release(tx, ids);
      await clearStagedBlobs(tx, runId);
    },

    async remove(tx, runId) {
      const ids = await listStagedBlobs(tx, runId);
      if (ids.length > 0) await blobs.release(tx, ids);
      await deleteItems(tx, runId);
      await deleteNotes(tx, runId);
      await deleteCollectionRun(tx, runId);
    },
  };
}

/**
 * Fetches, then lands. A source that fails midway fails the run, after what was fetched has landed: executing again, or resuming,
 * continues there.
 */
async function driveCollection(services: CollectionServices, run: Run, context: RunContext): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  let problem: Reason | undefined;
  const collection = await openCollection(services, { run, context, signal });
  const recorded = (await findCollectionRun(services.db.read, run.id))?.next_item_no ?? 0;
  await context.checkpoint(context.isPlanned ? { phase: 'FETCH' } : { phase: 'FETCH', total: 0 });
  if (recorded === 0 && !collection.details.fromStart) await forgetGoneFiles(collection);
  try {
    await collect(collection, stop);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof SourceError) && !(error instanceof OutgoingError)) throw error;
    problem = collection.cleanReason(error.reason);
  }
  context.signal.throwIfAborted();
  await failDamagedItems(collection, recorded);
  await land(collection);
  if (problem === undefined && collection.connector.listsAll === true) await nameUnlisted(collection);
  if (problem !== undefined) throw new RunFailure(collectionSentences.SOURCE_CUT_SHORT.reason({ why: problem }));
  await context.complete(async (tx, completion) => {
    const { counts, failures } = completion.run;
    if (counts.failed > 0 && counts.failed === counts.in)
      throw new RunFailure(collectionSentences.NOTHING_FETCHED.reason({ why: mostFrequent(failures) }));
    await deleteNotes(tx, run.id);
    const landed = (await findCollectionRun(tx, run.id))?.landed_version ?? null;
    const datasetId = (await services.tasks.lock(tx, run.taskId))?.definition.targetDatasetId ?? null;
    if (landed !== null && datasetId !== null) await completion.setTargets([{ datasetId, version: landed }]);
  });
}

function mostFrequent([first]: readonly Failure[]): Reason {
  if (first === undefined) return collectionSentences.EVERY_ITEM_FAILED.reason({});
  const { reason: text, reasonCode: code, reasonParams: params } = first;
  return { text, sentence: code === null ? null : { code, params: params ?? {} } };
}

/** Logs the names of items that are gone at the source; they stay in the dataset. */
async function nameUnlisted({ db, run, context, clean }: Collection): Promise<void> {
  const { names, count } = await listUnlisted(db.read, { taskId: run.taskId, runId: run.id }, namedAtMost);
  if (count === 0) return;
  const list = clean(names.join(', '));
  const { FILES_UNLISTED, FILES_UNLISTED_SUCH_AS } = collectionSentences;
  const sentence = count > names.length ? FILES_UNLISTED_SUCH_AS : FILES_UNLISTED;
  await context.log('INFO', sentence.reason({ count, names: list }));
}

async function openCollection(
  services: CollectionServices,
  { run, context, signal }: { run: Run; context: RunContext; signal: AbortSignal },
): Promise<Collection> {
  const { secrets, outgoing, roots, scratchDirectory, pause = waitFor } = services;
  const details = run.details as CollectionDetails;
  const { type, config, storedSecrets } = details.connector;
  const connector = findConnector(type);
  if (connector === undefined) throw new RunFailure(collectionSentences.NO_CONNECTOR.reason({ connector: type }));
  const values = await findSecrets(secrets, run.taskId, storedSecrets);
  const hidden = secretTextsOf(connector, { ...config, ...values });
  const clean = (text: string): string => redact(text, hidden);
  return {
    ...services,
    run,
    context,
    details,
    connector,
    config: { ...config, ...values },
    signal,
    clean,
    cleanAll: (value) => redactAll(value, hidden),
    cleanReason: ({ text, sentence }) => ({
      text: clean(text),
      sentence: sentence && { ...sentence, params: redactAll(sentence.params, hidden) as SentenceParams },
    }),
    effects: {
      outgoing,
      roots,
      scratchDirectory,
      signal,
      log: (level, { text, sentence }) =>
        context.log(level, {
          text: clean(text),
          sentence: sentence && { ...sentence, params: redactAll(sentence.params, hidden) as SentenceParams },
        }),
      pause: (ms) => pause(ms, signal),
    },
  };
}

const waitFor = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal });

/** Reads the list of the source; files are fetched side by side, and recorded in the order of the list. */
async function collect(collection: Collection, stop: AbortController): Promise<void> {
  const { connector, config, effects, signal } = collection;
  const records = await openItemRecords(collection);
  const parallel = connector.parallel ?? defaultParallel;
  const fetching: Promise<ItemVerdict | undefined>[] = [];

  async function take(): Promise<void> {
    const verdict = await fetching.shift();
    if (verdict !== undefined) await records.add(verdict);
  }

  try {
    for await (const item of connector.read(config, { ...effects, journal: records.journal }, records.cursor)) {
      signal.throwIfAborted();
      if (item.kind === 'expected') records.expect(item.inputs);
      else if (item.kind === 'fetched') while (fetching.length > 0) await take();
      else if (item.kind === 'rows') {
        while (fetching.length > 0) await take();
        await readRows(collection, item, records);
      } else {
        fetching.push(verdictOn(collection, item, records));
        if (fetching.length >= parallel) await take();
      }
    }
    while (fetching.length > 0) await take();
    await records.flush();
  } catch (error) {
    await endFetching({ collection, fetching, records, stop, error });
    throw error;
  }
}

function verdictOn(
  collection: Collection,
  item: Exclude<SourceItem, { kind: 'rows' | 'expected' | 'fetched' }>,
  records: ItemRecords,
): Promise<ItemVerdict | undefined> {
  const verdict = item.kind === 'file' ? fetchFile(collection, item, { isResumed: records.hasEarlier }) : leftOut(item);
  // Awaited in its turn, possibly after another fetch has failed.
  verdict.catch(() => {});
  return verdict;
}

async function leftOut(
  item: Exclude<SourceItem, FileItem | { kind: 'rows' | 'expected' | 'fetched' }>,
): Promise<ItemVerdict> {
  const { kind, name, reason, cursor } = item;
  return { name, verdict: kind === 'failed' ? 'FAILED' : 'DROPPED', reason, cursor };
}

/** If the source failed, waits for running fetches; any other failure aborts them and erases content without a record. */
async function endFetching({
  collection: { blobs, context },
  fetching,
  records,
  stop,
  error,
}: {
  collection: Collection;
  fetching: Promise<ItemVerdict | undefined>[];
  records: ItemRecords;
  stop: AbortController;
  error: unknown;
}): Promise<void> {
  const isOfSource = error instanceof SourceError || error instanceof OutgoingError;
  const isStopped = context.signal.aborted || !isOfSource;
  if (isStopped) stop.abort(error);
  const settled = await Promise.allSettled(fetching.splice(0));
  const verdicts = settled.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  if (isStopped) {
    await blobs.settle(verdicts.flatMap(({ staged }) => staged ?? []));
    await records.discard();
  } else {
    await records.add(...verdicts);
    await records.flush();
  }
}
