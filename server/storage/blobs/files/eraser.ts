import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../database/database.ts';
import type { BlobFolders } from './blob-folders.ts';
import type { Logger } from '../blob-store-options.ts';
import { isMissingFile, type FileOperations } from './file-operations.ts';
import type { OpenFiles } from './open-files.ts';
import { findPointedObjects } from '../queries/blobs.ts';
import type { ObjectHolds } from '../staged-blobs.ts';

/** Removes files and packs that nothing points at any more. */
export type Eraser = {
  /** Candidates: each is checked before it goes; one in use waits for a later run. */
  addFiles(objectIds: Iterable<string>): void;
  addPack(objectId: string): void;
  addBeside(names: Iterable<string>): void;
  /** Looks at a few files (and chunks beside) at once, without waiting for a run; what fails is left to the next run. */
  eraseNow(objects: { files: readonly string[]; beside?: readonly string[] }): Promise<void>;
  /** Gives the number of bytes that came back; what failed is tried again the next time. */
  run(): Promise<number>;
};

const batchSize = 200;

/** After each batch the disk gets this long: tens of thousands of deletions in a row stall it for minutes. */
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
  /** Object → the path of its file. */
  const candidates = new Map<string, string>();
  let turns: Promise<unknown> = Promise.resolve();

  async function erase(path: string): Promise<number> {
    try {
      const sizeBytes = await operations.sizeOf(path);
      await openFiles.forget(path);
      await operations.unlink(path);
      return sizeBytes;
    } catch (error) {
      if (isMissingFile(error)) return 0;
      throw error;
    }
  }

  async function eraseCandidates(all: readonly string[]): Promise<number> {
    let freedBytes = 0;
    for (let from = 0; from < all.length; from += batchSize) {
      if (from > 0) await pause(breathMs);
      // First "in use?", then "pointed at?": what leaves use by being adopted is then seen to be pointed at.
      const idle = all.slice(from, from + batchSize).filter((objectId) => !holds.isHeld(objectId));
      if (idle.length === 0) continue;
      const pointed = await findPointedObjects(db, idle);
      // Behind the look at the rows: whatever a backup saw there that began before this point stays until it has its copy.
      if (isPinned()) return freedBytes;
      for (const objectId of idle) {
        const path = candidates.get(objectId);
        if (path === undefined) continue;
        if (!pointed.has(objectId)) freedBytes += await erase(path);
        candidates.delete(objectId);
      }
    }
    return freedBytes;
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
      // A request during a run causes another run after it, so that newly added candidates are checked.
      const turn = turns.then(() => eraseCandidates([...candidates.keys()]));
      turns = turn.catch(() => {});
      return turn;
    },
  };
}
