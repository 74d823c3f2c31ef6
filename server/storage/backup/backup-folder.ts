import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isMissingFile } from '../blobs/index.ts';

/**
 * A folder of backups. `blobs/` holds the bytes of all backups, each once, in the layout of the blob store; `snapshots/<name>/`
 * holds the database of one backup, the chunks of uploads in progress, and the manifest, which is written last.
 */
export type BackupFolder = {
  path: string;
  blobs: string;
  /** Oldest first. */
  list(): Promise<BackupList>;
  /** Creates the folder of the next backup; `complete` turns it into a backup. */
  begin(name: string): Promise<string>;
  complete(name: string, manifest: Manifest): Promise<void>;
  /** Removes what interrupted backups left. */
  removeUnfinished(): Promise<void>;
  remove(name: string): Promise<void>;
};

export type Backup = { name: string; path: string; manifest: Manifest };

/** A backup that was completed but whose manifest can't be read; the bytes that it needs are kept. */
export type UnreadableBackup = { name: string; path: string; problem: string };

export type BackupList = { backups: Backup[]; unreadable: UnreadableBackup[] };

export type Manifest = {
  format: 1;
  /** The release that wrote the backup. */
  release: string;
  createdAt: string;
  /** Creation time of the database, which identifies the installation. */
  origin: string;
  database: { file: string; from: 'sqlite' | 'postgres' } & FileSum;
  /** How many bytes of each pack belong to this backup. */
  packs: Readonly<Record<string, number>>;
  blobs: { count: number; sizeBytes: number };
  /** What this backup added; earlier backups already held the rest. */
  copied: { count: number; sizeBytes: number };
  /** Blobs whose bytes were already missing or damaged in the data folder. */
  damaged: readonly { blobId: string; problem: string }[];
  /** Checksums of the files of unfinished uploads, by path below the backup's folder; earlier releases did not write it. */
  unfinished?: Readonly<Record<string, FileSum>>;
};

export type FileSum = { sizeBytes: number; sha256: string };

/** A backup or restore failed; the message is for people. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const snapshotDatabase = 'tilth.db';
export const unfinishedUploads = 'unfinished';
const manifestFile = 'manifest.json';
const partialEnding = '.partial';

export function openBackupFolder(path: string): BackupFolder {
  const snapshots = join(path, 'snapshots');

  async function names(): Promise<string[]> {
    try {
      return (await readdir(snapshots)).sort();
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw error;
    }
  }

  async function remove(name: string): Promise<void> {
    // Renamed first, so that an interrupted removal leaves a folder that no longer counts as a backup.
    const expired = join(snapshots, name.endsWith(partialEnding) ? name : `${name}${partialEnding}`);
    if (!name.endsWith(partialEnding)) {
      await rename(join(snapshots, name), expired);
      await syncPath(snapshots);
    }
    await rm(expired, { recursive: true, force: true });
  }

  return {
    path,
    blobs: join(path, 'blobs'),
    async list() {
      const found: BackupList = { backups: [], unreadable: [] };
      for (const name of await names()) {
        const path = join(snapshots, name);
        if (name.endsWith(partialEnding) || !(await isBackup(path))) continue;
        const manifest = await readManifest(join(path, manifestFile));
        if (typeof manifest === 'string') found.unreadable.push({ name, path, problem: manifest });
        else found.backups.push({ name, path, manifest });
      }
      return found;
    },
    async begin(name) {
      const folder = join(snapshots, `${name}${partialEnding}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    async complete(name, manifest) {
      const partial = join(snapshots, `${name}${partialEnding}`);
      await writeFile(join(partial, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
      await syncPath(join(partial, manifestFile));
      await syncPath(partial);
      await rename(partial, join(snapshots, name));
      await syncPath(snapshots);
      await syncPath(path);
    },
    async removeUnfinished() {
      for (const name of await names()) if (name.endsWith(partialEnding)) await remove(name);
    },
    remove,
  };
}

async function isBackup(path: string): Promise<boolean> {
  return (await exists(join(path, manifestFile))) || exists(join(path, snapshotDatabase));
}

/** The manifest, or the reason why it can't be read. */
async function readManifest(path: string): Promise<Manifest | string> {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8')) as Partial<Manifest> | null;
  } catch (error) {
    if (isMissingFile(error)) return `its manifest ${path} is missing`;
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'EIO')
      return `its manifest ${path} is damaged`;
    throw error;
  }
  const format: unknown = manifest?.format;
  if (typeof format === 'number' && format !== 1)
    return `${path} has a format that this release does not know; use a later release`;
  return isWhole(manifest) ? manifest : `its manifest ${path} is damaged`;
}

function isWhole(manifest: Partial<Manifest> | null): manifest is Manifest {
  const { format, origin, database, packs, blobs, damaged } = manifest ?? {};
  return (
    format === 1 &&
    typeof origin === 'string' &&
    typeof database?.sha256 === 'string' &&
    typeof packs === 'object' &&
    typeof blobs?.count === 'number' &&
    Array.isArray(damaged)
  );
}

/** Syncs a file, or a folder's entries, so that they survive power loss. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<FileSum> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), async (pieces) => {
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      hash.update(piece);
      sizeBytes += piece.length;
    }
  });
  return { sizeBytes, sha256: hash.digest('hex') };
}

export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}
