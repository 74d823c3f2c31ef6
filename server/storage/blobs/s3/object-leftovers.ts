import type { Database } from '../../database/database.ts';
import { besideAssemblyId } from '../beside-names.ts';
import type { Logger } from '../blob-store-options.ts';
import type { Eraser } from '../files/eraser.ts';
import type { BlobPaths } from '../files/blob-folders.ts';
import { findBesideNames } from '../queries/assemblies.ts';
import { listUploadIds } from '../queries/object-assemblies.ts';
import { findPointedObjects } from '../queries/blobs.ts';
import type { ObjectHolds } from '../staged-blobs.ts';
import type { ListedObject, ObjectStore } from './object-store.ts';

/**
 * Finds leftovers of processes that died: objects without a row, and multipart uploads that no process continues. Only
 * leftovers of a minimum age count, because another process may be about to adopt younger ones.
 */
export function createObjectLeftovers(options: {
  db: Database;
  store: ObjectStore;
  paths: BlobPaths;
  holds: ObjectHolds;
  eraser: Eraser;
  touchPack(packId: string): void;
  logger: Logger;
  ageMs: number;
}): (signal: AbortSignal) => Promise<void> {
  const { db, store, paths, holds, eraser, touchPack, logger, ageMs } = options;
  const isOld = (at: Date): boolean => Date.now() - at.getTime() >= ageMs;
  const nameOf = ({ key }: { key: string }): string => key.slice(key.lastIndexOf('/') + 1);

  async function findUnknown(
    folder: string,
    findKnown: (names: readonly string[]) => Promise<Set<string>>,
    add: (names: string[]) => void,
    signal: AbortSignal,
  ): Promise<{ objects: number; bytes: number }> {
    const found = { objects: 0, bytes: 0 };
    for await (const page of store.list(`${folder}/`)) {
      if (signal.aborted) break;
      const idle = page.filter((object) => isOld(object.modifiedAt) && !holds.isHeld(nameOf(object)));
      if (idle.length === 0) continue;
      const known = await findKnown(idle.map(nameOf));
      const unknown: ListedObject[] = idle.filter((object) => !known.has(nameOf(object)));
      found.objects += unknown.length;
      for (const { sizeBytes } of unknown) found.bytes += sizeBytes;
      add(unknown.map(nameOf));
    }
    return found;
  }

  async function abortUploads(signal: AbortSignal): Promise<number> {
    let aborted = 0;
    for await (const page of store.listMultiparts()) {
      const old = page.filter((upload) => isOld(upload.startedAt) && !holds.isHeld(nameOf(upload)));
      const known = await listUploadIds(db.scan, old.map(nameOf));
      const continued = new Set(known.map(({ upload_id }) => upload_id));
      for (const upload of old) {
        if (signal.aborted) return aborted;
        if (continued.has(upload.uploadId)) continue;
        await store.abort(upload);
        aborted++;
      }
    }
    return aborted;
  }

  return async (signal) => {
    const files = await findUnknown(
      paths.files,
      (names) => findPointedObjects(db.scan, names),
      (names) => eraser.addFiles(names),
      signal,
    );
    const beside = await findUnknown(
      paths.beside,
      (names) => findBesideNames(db.scan, [...new Set(names.map(besideAssemblyId))]),
      (names) => eraser.addBeside(names),
      signal,
    );
    for await (const page of store.list(`${paths.packs}/`)) for (const object of page) touchPack(nameOf(object));
    const uploads = await abortUploads(signal);
    const objects = files.objects + beside.objects;
    if (objects + uploads > 0)
      logger.warn(
        { objects, bytes: files.bytes + beside.bytes, uploads },
        'The object store has objects and uploads of processes that ended early; they are erased',
      );
  };
}
