import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../database/database.ts';
import type { BlobFolders } from './blob-folders.ts';
import type { Logger } from '../blob-store-options.ts';
import { isMissingFile, type FileOperations } from './file-operations.ts';
import type { OpenFiles } from './open-files.ts';
import { findPointedObjects } from '../queries/blobs.ts';
import type { ObjectHolds } from '../staged-blobs.ts';

/** Removes files and packs that no row refers to any more. */
export type Eraser = {
  /** Adds candidates: each is checked before it is erased; one in use waits for a later run. */
  addFiles(objectIds: Iterable<string>): void;
  addPack(objectId: string): void;
  addBeside(names: Iterable<string>): void;
  /** Erases a few files (and separate chunk files) at once, without waiting for a run; failures are left to the next run. */
  eraseNow(objects: { files: readonly string[]; beside?: readonly string[] }): Promise<void>;
  /** Failures are retried in the next run. */
  run(): Promise<void>;
  /** Total bytes freed by all runs of this eraser. */
  freedBytes(): number;
};

const batchSize = 200;

/** Pause after each batch: tens of thousands of deletions in a row stall the disk for minutes. */
const breathMs = 20;

export function createEraser(options: {
  db: Db;
  operations: FileOperations;
  folders: BlobFolders;
  openFiles: OpenFiles;
  holds: ObjectHolds;
  isPinned: () => boolean;
  logger: Logger;
}): Eraser {
  const { db, operations, folders, openFiles, holds, isPinned, logger } = options;
  /** Object id → the path of its file. */
  const candidates = new Map<string, string>();
  let turns: Promise<unknown> = Promise.resolve();
  let freedBytes = 0;

  async function erase(path: string): Promise<void> {
    try {
      const sizeBytes = await operations.sizeOf(path);
      await openFiles.forget(path);
      await operations.unlink(path);
      freedBytes += sizeBytes;
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
  }

  async function eraseCandidates(all: readonly string[]): Promise<void> {
    for (let from = 0; from < all.length; from += batchSize) {
      if (from > 0) await pause(breathMs);
      // Check "in use" before "referred to": an object that leaves use by being adopted is then seen as referred to.
      const idle = all.slice(from, from + batchSize).filter((objectId) => !holds.isHeld(objectId));
      if (idle.length === 0) continue;
      const pointed = await findPointedObjects(db, idle);
      // Checked after the rows were read: a backup that started before this point may still need what its snapshot refers to.
      if (isPinned()) return;
      for (const objectId of idle) {
        const path = candidates.get(objectId);
        if (path === undefined) continue;
        if (!pointed.has(objectId)) await erase(path);
        candidates.delete(objectId);
      }
    }
  }

  function addFiles(objectIds: Iterable<string>): void {
    for (const objectId of objectIds) candidates.set(objectId, folders.filePath(objectId));
  }

  function addBeside(names: Iterable<string>): void {
    for (const name of names) candidates.set(name, folders.besidePath(name));
  }

  return {
    addFiles,
    addPack(objectId) {
      candidates.set(objectId, folders.packPath(objectId));
    },
    addBeside,
    async eraseNow({ files, beside = [] }) {
      addFiles(files);
      addBeside(beside);
      try {
        await eraseCandidates([...files, ...beside]);
      } catch (error) {
        logger.warn({ err: error }, 'Files could not be erased yet; the sweep tries again');
      }
    },
    run() {
      // A request during a run starts another run after it, so that newly added candidates are checked.
      const turn = turns.then(() => eraseCandidates([...candidates.keys()]));
      turns = turn.catch(() => {});
      return turn;
    },
    freedBytes: () => freedBytes,
  };
}
