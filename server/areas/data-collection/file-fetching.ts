import { sourceSentences } from '../../connectors/sentences.ts';
import { createHash, type Hash } from 'node:crypto';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { SourceError, type FetchedFile, type FileItem, type LeftOutFile } from '../../connectors/index.ts';
import { AppError } from '../../kernel/errors.ts';
import { joinPath, parseFilePath } from '../../kernel/file-path.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import { isStorageAway } from '../../storage/blobs/index.ts';
import type { CollectionStatesTable } from '../../storage/database/tables/data-collection.ts';
import { keyOf, type Collection } from './drive.ts';
import type { ItemVerdict } from './item-records.ts';
import { hasItem } from './queries/items.ts';
import { findState } from './queries/states.ts';

/** Attempts at a download that breaks off and can't be resumed. */
const attempts = 3;

/** Fetches one file unless it is unchanged; undefined if the run already has a verdict on it. Throws errors that end the run. */
export async function fetchFile(
  collection: Collection,
  item: FileItem,
  { isResumed }: { isResumed: boolean },
): Promise<ItemVerdict | undefined> {
  const { db, run, details, signal } = collection;
  const { key, name, cursor } = item;
  if (isResumed && (await hasItem(db.read, run.id, keyOf(key)))) {
    item.release?.();
    return undefined;
  }
  const settled = { name, key, cursor };
  const known = details.fromStart ? undefined : await findState(db.read, run.taskId, keyOf(key));
  const stamp = details.incremental ? stampOf(known) : undefined;
  const unchanged = (path: string): ItemVerdict => ({
    ...settled,
    verdict: 'DROPPED',
    reason: sourceSentences.UNCHANGED.reason({}),
    path,
  });
  const pathOf = (wanted: string): string => joinPath('path', details.prefix, parseFilePath('path', wanted));
  try {
    const path = pathOf(item.path);
    const isSame = stamp !== undefined && JSON.stringify(item.stamp) === JSON.stringify(stamp);
    if (isSame && known !== undefined) return unchanged(known.path);
    const fetched = await fetchContent(collection, item, { stamp, known });
    if (fetched === 'unchanged') return unchanged(known?.path ?? path);
    if ('kind' in fetched) {
      const { kind, reason, ...said } = fetched;
      const verdict = kind === 'failed' ? 'FAILED' : 'DROPPED';
      return { ...settled, ...said, verdict, reason, ...(kind === 'unchanged' ? { path: known?.path ?? path } : {}) };
    }
    const { staged, evidence, note } = fetched;
    const newStamp = item.stamp ?? fetched.stamp;
    const kept = {
      ...settled,
      sizeBytes: staged?.sizeBytes ?? known?.size_bytes ?? 0,
      evidence,
      note,
      stamp: newStamp,
    };
    return staged === undefined
      ? { ...kept, ...unchanged(known?.path ?? path), reason: sourceSentences.UNCHANGED_CONTENT.reason({}) }
      : { ...kept, verdict: 'KEPT', path: fetched.path === undefined ? path : pathOf(fetched.path), staged };
  } catch (error) {
    signal.throwIfAborted();
    if (!isOfItem(error)) throw error;
    return { ...settled, verdict: 'FAILED', reason: reasonOf(error) };
  } finally {
    item.release?.();
  }
}

function stampOf(known: CollectionStatesTable | undefined): unknown {
  return known === undefined || known.stamp === null ? undefined : JSON.parse(known.stamp);
}

/** Whether an error concerns one item only: caused by the source, not by this service or its disk. */
function isOfItem(error: unknown): error is Error {
  return (
    error instanceof SourceError ||
    error instanceof OutgoingError ||
    (error instanceof AppError && error.code === 'INVALID_PARAMETER')
  );
}

type Content = Pick<FetchedFile, 'evidence' | 'path' | 'note'> & {
  stamp: unknown;
  /** Undefined if the content is the same as in the earlier run. */
  staged: StagedBlob | undefined;
};

async function fetchContent(
  collection: Collection,
  item: FileItem,
  { stamp, known }: { stamp: unknown; known: CollectionStatesTable | undefined },
): Promise<Content | LeftOutFile | 'unchanged'> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const fetched = await item.load(stamp, collection.signal);
      if (fetched === 'unchanged' || 'kind' in fetched) return fetched;
      const { bytes, stamp: newStamp, ...said } = fetched;
      return { ...said, stamp: newStamp, staged: await stageContent(collection, bytes, known) };
    } catch (error) {
      const isCut = error instanceof OutgoingError && error.problem === 'cut-off';
      if (!isCut || attempt === attempts) throw error;
      await collection.effects.pause(1000 * attempt);
    }
  }
}

/** Writes content to the store; undefined, and nothing is kept, if it is the same as in the earlier run. */
async function stageContent(
  { blobs }: Pick<Collection, 'blobs'>,
  bytes: AsyncIterable<Uint8Array>,
  known: CollectionStatesTable | undefined,
): Promise<StagedBlob | undefined> {
  const writer = blobs.create();
  // Content that was never fetched needs no comparison.
  const hash = known === undefined ? undefined : createHash('sha256');
  try {
    for await (const piece of bytes) {
      hash?.update(piece);
      await writer.write(piece);
    }
  } catch (error) {
    await writer.abort();
    throw error;
  }
  const staged = await writer.finish();
  if (known === undefined || hash === undefined) return staged;
  if (!(await isSameContent(blobs, known, staged, hash))) return staged;
  await blobs.settle([staged]);
  return undefined;
}

/** Whether new content, given by its SHA-256, is the same as in an earlier run. */
export async function isSameContent(
  blobs: Collection['blobs'],
  known: CollectionStatesTable,
  staged: StagedBlob,
  hash: Hash | undefined,
): Promise<boolean> {
  if (hash === undefined || staged.sizeBytes !== known.size_bytes) return false;
  return (await sha256Of(blobs, known)) === hash.digest('hex');
}

/** The SHA-256 of content that was fetched earlier; undefined if it was erased since. */
async function sha256Of(
  blobs: Collection['blobs'],
  { blob_id: id }: CollectionStatesTable,
): Promise<string | undefined> {
  if (id === null) return undefined;
  const facts = await blobs.find(id);
  if (facts === undefined) return undefined;
  if (facts.sha256 !== null) return facts.sha256;
  // The background hasn't computed it yet.
  const hash = createHash('sha256');
  try {
    for await (const { bytes } of blobs.readAll([id])) hash.update(bytes);
  } catch (error) {
    if (error instanceof AppError && !isStorageAway(error)) return undefined;
    throw error;
  }
  return hash.digest('hex');
}
