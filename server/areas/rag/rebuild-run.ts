import { failuresOf } from '../../kernel/failure-counts.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { reasonColumns } from '../../kernel/sentences/index.ts';
import { BudgetExhaustedError, ModelCallError } from '../../models/index.ts';
import {
  noCounts,
  RunLetGo,
  type CheckpointProgress,
  type Run,
  type RunContext,
  type RunKind,
} from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { DiskMeasure } from '../../storage/disk-space/index.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { isStorageAway } from '../../storage/blobs/index.ts';
import type { Following } from './following.ts';
import { documentDone } from './ingest-run.ts';
import { updateDocument } from './queries/documents.ts';
import { findCurrentIndex, findNextIndex, type RagIndex } from './queries/indexes.ts';
import { lockKnowledgeBase } from './queries/knowledge-bases.ts';
import {
  countRebuilt,
  findRebuildOfIndex,
  listDocumentsToRebuild,
  listKeptUnits,
  updateRebuild,
} from './queries/rebuilds.ts';
import { isWaitingForSpace, ragCauses, waitsForSpace } from './sentences.ts';
import { createSpaceWait, isFull, type WaitingForSpace } from './space-wait.ts';
import { buildUnit } from './unit-building.ts';
import { DocumentGone, IndexGone, isFree, lockTarget, type BuildingServices } from './building.ts';

export const rebuildKind = 'rag-rebuild';

export type RebuildServices = BuildingServices & {
  measureSpace(): Promise<Pick<DiskMeasure, 'state' | 'freeBytes'>>;
  waitingForSpace: WaitingForSpace;
  /** Makes searches use the new index. */
  switchTo(tx: Tx, knowledgeBaseId: string): Promise<void>;
  /** Call after the commit of a switch. */
  onSwitched(): void;
  following: Pick<Following, 'numberFound' | 'tellFound' | 'doubt'>;
};

/** Number of documents indexed in parallel. */
const lanes = 4;
const documentsAtOnce = 100;

type Rebuild = RebuildServices & { run: Run; context: RunContext; index: RagIndex };

/** Indexes all documents of a knowledge base anew; searches then use the new index automatically or on command. */
export function createRebuildKind(services: RebuildServices): RunKind {
  const { db, blobs } = services;
  return {
    kind: rebuildKind,
    needsOwnPlace: blobs.shared === undefined,
    async drive(run, context) {
      const rebuild = await findRebuildOfIndex(db.read, run.taskId);
      const index = rebuild === undefined ? undefined : await findNextIndex(db.read, rebuild.knowledge_base_id);
      if (rebuild?.status !== 'BUILDING' || index?.indexId !== run.taskId) return;
      const say = (tx: Tx): Promise<void> => updateRebuild(tx, index.indexId, reasonColumns('cause', waitsForSpace));
      const space = createSpaceWait(services, context, { id: index.indexId, say });
      const goOn = (): Promise<void> =>
        context.checkpoint({}, (tx) => updateRebuild(tx, index.indexId, reasonColumns('cause', null)));
      try {
        if (isWaitingForSpace(rebuild)) {
          await space.untilRoom(await sizeOfNext(db, index));
          await goOn();
        }
        for (let isDone = false; !isDone;) {
          try {
            await indexAll({ ...services, run, context, index });
            isDone = await conclude({ ...services, run, context, index });
          } catch (error) {
            if (!isFull(error) || context.signal.aborted) throw error;
            if (!(await space.mayComeBack(await sizeOfNext(db, index)))) throw error;
            await goOn();
          }
        }
      } catch (error) {
        // The rebuild was cancelled or replaced.
        if (error instanceof IndexGone) return;
        if (error instanceof RunLetGo) services.following.doubt(index.indexId);
        const isOver = error instanceof RunLetGo || context.signal.aborted || isStorageAway(error);
        if (!isOver)
          await context.checkpoint({}, (tx) =>
            updateRebuild(tx, index.indexId, {
              status: 'FAILED',
              ...reasonColumns('cause', reasonOf(error as Error)),
            }),
          );
        throw error;
      }
    },
  };
}

/** Size in bytes of the largest of the next documents. */
async function sizeOfNext(db: Pick<Database, 'read'>, { knowledgeBaseId }: RagIndex): Promise<number> {
  const documents = await listDocumentsToRebuild(db.read, knowledgeBaseId, { limit: documentsAtOnce });
  return documents.reduce((most, { size_bytes: size }) => Math.max(most, size), 0);
}

async function indexAll(rebuild: Rebuild): Promise<void> {
  const { db, index, context } = rebuild;
  const current = await findCurrentIndex(db.read, index.knowledgeBaseId);
  for (let after: RagDocumentsTable | undefined; ;) {
    const page = { after, limit: documentsAtOnce };
    const documents = await listDocumentsToRebuild(db.read, index.knowledgeBaseId, page);
    after = documents.at(-1);
    if (after === undefined) return;
    const rest = documents.values();
    const failed = new AbortController();
    const signal = AbortSignal.any([context.signal, failed.signal]);
    const work = async (): Promise<void> => {
      for (const document of rest) {
        signal.throwIfAborted();
        await indexOne(rebuild, document, current?.embeddingModel === index.embeddingModel, signal);
      }
    };
    const results = await Promise.allSettled(
      Array.from({ length: lanes }, () =>
        work().catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
      ),
    );
    // The first failure aborted the others.
    if (failed.signal.aborted) throw failed.signal.reason;
    const broken = results.find(({ status }) => status === 'rejected');
    if (broken?.status === 'rejected') throw broken.reason;
  }
}

type DocumentValues = Partial<RagDocumentsTable> | ((tx: Tx) => Promise<Partial<RagDocumentsTable>>);

async function indexOne(
  rebuild: Rebuild,
  document: RagDocumentsTable,
  isSameModel: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { run, context, index } = rebuild;
  const { embeddingModel } = index;
  const kept = isFree(index) ? [] : await listKeptUnits(rebuild.db.read, { documentId: document.id, embeddingModel });
  const building = {
    runId: run.id,
    context: { checkpoint: context.checkpoint, signal },
    index,
    document,
    reusedUnits: [...(isSameModel && document.unit !== null ? [document.unit] : []), ...kept],
    progressOf: () => ({}),
  };
  const store = (values: DocumentValues, counted: Pick<CheckpointProgress, 'counts' | 'failures'>) =>
    context.checkpoint({ done: 1, ...counted }, async (tx) => {
      await lockTarget(tx, building);
      await updateDocument(tx, document.id, typeof values === 'function' ? await values(tx) : values);
    });
  try {
    const { unit, chunks } = await buildUnit(rebuild, building);
    const found = { next_unit: unit, next_chunks: chunks, ...reasonColumns('next_cause', null) };
    const numbered = async (tx: Tx) => ({ ...found, ...(await rebuild.following.numberFound(tx, index)) });
    await store(numbered, documentDone(chunks));
    rebuild.following.tellFound(index.knowledgeBaseId);
  } catch (error) {
    if (error instanceof DocumentGone) return;
    const isOver = error instanceof RunLetGo || error instanceof IndexGone || isStorageAway(error);
    if (isOver || signal.aborted || concernsAll(error)) throw error;
    const cause = reasonOf(error as Error);
    const counted = { counts: { ...noCounts, in: 1, failed: 1 }, failures: failuresOf(cause) };
    await store({ next_unit: null, next_chunks: 0, ...reasonColumns('next_cause', cause) }, counted).catch(
      (failure: unknown) => {
        if (!(failure instanceof DocumentGone)) throw failure;
      },
    );
  }
}

/** A model that cannot be called, or a full disk, fails for every document. */
function concernsAll(error: unknown): boolean {
  if (error instanceof BudgetExhaustedError || isFull(error)) return true;
  return error instanceof ModelCallError && error.problem !== 'invalid-request' && error.problem !== 'bad-answer';
}

/** Rolls back the end of a run because there are more documents. */
class MoreDocuments extends Error {}

/** Ends the run if no document is left; returns false if there are more. */
async function conclude({ context, index, switchTo, onSwitched }: Rebuild): Promise<boolean> {
  let isSwitched = false;
  try {
    await context.complete(async (tx) => {
      if ((await lockKnowledgeBase(tx, index.knowledgeBaseId)) === undefined) return;
      const rebuild = await findRebuildOfIndex(tx, index.indexId);
      if (rebuild === undefined) return;
      const [left] = await listDocumentsToRebuild(tx, index.knowledgeBaseId, { limit: 1 });
      if (left !== undefined) throw new MoreDocuments();
      const [counts] = await countRebuilt(tx, [index.knowledgeBaseId]);
      const failed = counts?.failed ?? 0;
      if (rebuild.switch === 'AUTOMATIC' && failed === 0) {
        await switchTo(tx, index.knowledgeBaseId);
        isSwitched = true;
      } else {
        const isRefused = rebuild.switch === 'AUTOMATIC';
        const cause = isRefused ? ragCauses.REBUILD_WOULD_LOSE.reason({ documents: failed }) : null;
        await updateRebuild(tx, index.indexId, { status: 'READY', ...reasonColumns('cause', cause) });
      }
    });
  } catch (error) {
    if (error instanceof MoreDocuments) return false;
    throw error;
  }
  if (isSwitched) onSwitched();
  return true;
}
