import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isMissingFile } from '../blobs/index.ts';

/**
 * A folder of backups: `blobs/` has the bytes of all of them, in the layout of the storage, each once; `snapshots/<name>/` the
 * database of one of them, the chunks of uploads that were under way, and its manifest. Without a manifest there is no backup.
 */
export type BackupFolder = {
  path: string;
  blobs: string;
  /** Complete backups, the oldest first. */
  list(): Promise<Backup[]>;
  /** A folder for the next one, which `complete` makes one. */
  begin(name: string): Promise<string>;
  complete(name: string, manifest: Manifest): Promise<void>;
  /** Removes what a backup that was ended midway has left. */
  removeUnfinished(): Promise<void>;
  remove(name: string): Promise<void>;
};

export type Backup = { name: string; path: string; manifest: Manifest };

export type Manifest = {
  format: 1;
  /** The release that wrote it. */
  release: string;
  createdAt: string;
  /** Tells one installation from another: when its database was made. */
  origin: string;
  database: { file: string; from: 'sqlite' | 'postgres'; sizeBytes: number; sha256: string };
  /** How much of each pack belongs to this backup. */
  packs: Readonly<Record<string, number>>;
  blobs: { count: number; sizeBytes: number };
  /** What this run added; the rest was there from earlier ones. */
  copied: { count: number; sizeBytes: number };
  /** Blobs whose bytes were gone or damaged in the data folder already. */
  damaged: readonly { blobId: string; problem: string }[];
};

/** A backup or restore that can't be made; the message is for people. */
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
    // Whoever is ended in the middle leaves what no longer counts.
    const doomed = join(snapshots, name.endsWith(partialEnding) ? name : `${name}${partialEnding}`);
    if (!name.endsWith(partialEnding)) {
      await rename(join(snapshots, name), doomed);
      await syncPath(snapshots);
    }
    await rm(doomed, { recursive: true, force: true });
  }

  return {
    path,
    blobs: join(path, 'blobs'),
    async list() {
      const backups: Backup[] = [];
      for (const name of await names()) {
        if (name.endsWith(partialEnding)) continue;
        const manifest = await readManifest(join(snapshots, name, manifestFile));
        if (manifest !== undefined) backups.push({ name, path: join(snapshots, name), manifest });
      }
      return backups;
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

async function readManifest(path: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch (error) {
    throw new BackupError(`The manifest ${path} is damaged`, { cause: error });
  }
  if (manifest.format !== 1)
    throw new BackupError(`The backup ${path} has a format that this release does not know; use a later release`);
  return manifest;
}

/** Makes a file, or the entries of a folder, survive a loss of power. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function hashFile(path: string): Promise<{ sizeBytes: number; sha256: string }> {
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
