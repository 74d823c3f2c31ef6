import { failuresOf } from '../../kernel/failure-counts.ts';
import { isoNow } from '../../kernel/clock.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { reasonColumns, type Reason } from '../../kernel/sentences/index.ts';
import { noCounts, RunLetGo, type Run, type RunContext, type RunKind } from '../../runs/index.ts';
import { isStorageAway } from '../../storage/blobs/index.ts';
import { IndexFailure } from '../../storage/vectors/index.ts';
import { deleteUnit, listUnitsOfDocument } from './queries/chunks.ts';
import { findDocument, lockDocument, updateDocument } from './queries/documents.ts';
import { findCurrentIndex } from './queries/indexes.ts';
import type { ReadReceipt } from './reading.ts';
import { isWaitingForSpace, ragCauses, waitsForSpace } from './sentences.ts';
import { createSpaceWait, isFull } from './space-wait.ts';
import { buildUnit } from './unit-building.ts';
import { DocumentGone, IndexGone, lockTarget, type Unit } from './building.ts';
import type { IngestServices, Ingest } from './ingest.ts';
import { readAtOnce, readInSteps, UnreadDocument } from './ingest-reading.ts';

export const ingestKind = 'rag';

/**
 * Makes a document searchable: reads its text, cuts it, embeds and indexes the chunks. Each stage is stored before the
 * next begins; the last transaction makes searches find the new chunks in place of the old ones.
 */
export function createIngestKind(services: IngestServices): RunKind {
  const { db, blobs, clock } = services;
  return {
    kind: ingestKind,
    needsOwnPlace: blobs.shared === undefined,
    sharesTransactions: true,
    // One more than the limit of readings, so that the document fails first, with its own reason.
    mostProcessEnds: services.limits.maxReadings + 1,
    // If the failure itself could not be stored, as on a full disk, the document would otherwise stay unfinished.
    async ended(tx, { taskId, error, finishedAt }) {
      const document = await lockDocument(tx, taskId);
      if (document?.status !== 'PENDING' && document?.status !== 'PROCESSING') return;
      await updateDocument(tx, taskId, {
        status: 'FAILED',
        ...reasonColumns('cause', causeOf(error as Error)),
        finished_at: finishedAt,
      });
    },
    async drive(run, context) {
      try {
        const space = createSpaceWait(services, context, {
          id: run.taskId,
          say: (tx) =>
            updateDocument(tx, run.taskId, { status: 'PROCESSING', ...reasonColumns('cause', waitsForSpace) }),
        });
        for (let replacedUnit: Ingest['replacedUnit']; ;) {
          const document = await findDocument(db.read, run.taskId);
          const index =
            document === undefined ? undefined : await findCurrentIndex(db.read, document.knowledge_base_id);
          if (document === undefined || index === undefined)
            throw new DocumentGone(ragCauses.DOCUMENT_DELETED.reason({}));
          // Checked before paying for anything that could not be stored.
          if (isWaitingForSpace(document)) await space.untilRoom(document.size_bytes);
          try {
            return await ingest({ ...services, run, context, index, document, replacedUnit });
          } catch (error) {
            if (error instanceof RunLetGo) services.following.doubt(index.indexId);
            if (isFull(error) && !context.signal.aborted && (await space.mayComeBack(document.size_bytes))) continue;
            if (!(error instanceof IndexGone)) throw error;
            // The index was replaced: start over for the new one, reusing the vectors already paid for.
            const made = (await listUnitsOfDocument(db.read, document.id)).findLast(
              ({ index_id: id }) => id === index.indexId,
            );
            replacedUnit = made === undefined ? undefined : { unit: made.unit, embeddingModel: index.embeddingModel };
          }
        }
      } catch (error) {
        const isOver = error instanceof RunLetGo || context.signal.aborted || isStorageAway(error);
        if (!isOver) await fail(context, run.taskId, error as Error);
        throw error;
      }
    },
  };

  async function fail(context: RunContext, id: string, error: Error): Promise<void> {
    const cause = causeOf(error);
    const counts = { ...noCounts, in: 1, failed: 1 };
    await context.checkpoint({ counts, failures: failuresOf(cause) }, async (tx) => {
      if ((await lockDocument(tx, id)) === undefined) return;
      await updateDocument(tx, id, {
        status: 'FAILED',
        ...reasonColumns('cause', cause),
        ...(error instanceof UnreadDocument && error.receipt !== undefined
          ? { receipt: JSON.stringify(error.receipt) }
          : {}),
        finished_at: isoNow(clock),
      });
    });
  }
}

/** What an indexed document adds to the counts of its run: itself, and its chunks as emitted. */
export function documentDone(chunks: number): { counts: Run['counts'] } {
  return { counts: { ...noCounts, in: 1, kept: 1, emitted: chunks } };
}

function causeOf(error: Error): Reason {
  if (isFull(error)) return ragCauses.DOCUMENT_STORAGE_FULL.reason({});
  return error instanceof IndexFailure ? ragCauses.DOCUMENT_NOT_INDEXED.reason({}) : reasonOf(error);
}

async function ingest(ingest: Ingest): Promise<void> {
  const { document: before, index, vectors } = ingest;
  const { building, stored } = (await readAtOnce(ingest)) ?? { building: await readInSteps(ingest), stored: undefined };
  const { document } = building;
  const unit = await buildUnit(ingest, building, stored);
  await finish(ingest, { ...unit, receipt: JSON.parse(document.receipt ?? '{}') as ReadReceipt });
  // Searches no longer find them; leftovers after a crash here are removed at the next start.
  if (before.unit === null || before.unit === unit.unit) return;
  const now = await findCurrentIndex(ingest.db.read, index.knowledgeBaseId);
  if (now?.indexId !== index.indexId || now.dimensions === null) return;
  try {
    await (await vectors.open(now.indexId, now.dimensions)).remove([before.unit]);
  } catch (error) {
    if (!(error instanceof IndexFailure)) throw error;
    if (!error.isPassing) ingest.reconciliation.makeAgain(now, error);
  }
}

async function finish(ingest: Ingest, { unit, chunks, receipt }: Unit & { receipt: ReadReceipt }): Promise<void> {
  const { context, document, blobs, index } = ingest;
  // An empty sheet is complete as its author left it; a page or slide without text is probably a picture.
  const isWhole = receipt.pagesIn === null || receipt.pageKind === 'sheet' || receipt.pagesOut === receipt.pagesIn;
  await context.complete(async (tx, { finishedAt }) => {
    await lockTarget(tx, ingest);
    for (const other of await listUnitsOfDocument(tx, document.id)) {
      // Units of other indexes are deleted with their index.
      if (other.unit === unit || other.index_id !== index.indexId) continue;
      await blobs.release(tx, await deleteUnit(tx, { knowledgeBaseId: index.knowledgeBaseId, unit: other.unit }));
    }
    await updateDocument(tx, document.id, {
      status: isWhole ? 'COMPLETED' : 'PARTIAL',
      ...reasonColumns('cause', null),
      unit,
      chunks,
      finished_at: finishedAt,
      ...(await ingest.following.numberFound(tx, index)),
    });
    await ingest.rebuildMore(tx, index.knowledgeBaseId);
  }, documentDone(chunks));
  ingest.wake();
  ingest.following.tellFound(index.knowledgeBaseId);
}
