import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileProblem } from './cli-problem.ts';
import type { LeftOutPath } from './transfer-report.ts';

/** A file to send, as found; `path` is its name in the dataset, below the prefix. */
export type LocalFile = { path: string; place: string; sizeBytes: number; modifiedMs: number };

export type FoundFiles = { files: LocalFile[]; skipped: LeftOutPath[]; failed: LeftOutPath[] };

/** Finds the given files, and all files of the given folders by their paths below them; ordered by path. */
export async function findLocalFiles(places: readonly string[], signal: AbortSignal): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], skipped: [], failed: [] };

  async function visit(place: string, path: string, isLink: boolean): Promise<void> {
    signal.throwIfAborted();
    try {
      if (isLink) {
        found.skipped.push({ path, reason: 'is a symbolic link, which is not followed' });
        return;
      }
      const entry = await stat(place);
      if (entry.isDirectory()) {
        const entries = await readdir(place, { withFileTypes: true });
        for (const { name, ...each } of entries.map((one) => ({ name: one.name, isLink: one.isSymbolicLink() })))
          await visit(join(place, name), path === '' ? name : `${path}/${name}`, each.isLink);
      } else if (entry.isFile()) found.files.push({ path, place, sizeBytes: entry.size, modifiedMs: entry.mtimeMs });
      else found.skipped.push({ path, reason: 'is not a regular file' });
    } catch (error) {
      signal.throwIfAborted();
      found.failed.push({ path: path === '' ? place : path, reason: fileProblem(error) });
    }
  }

  for (const place of places) {
    const isFolder = await stat(place).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
    await visit(resolve(place), isFolder ? '' : basename(resolve(place)), false);
  }
  found.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return withoutDoubles(found);
}

/** Folders may contain files with the same path: only the first one keeps it. */
function withoutDoubles({ files, skipped, failed }: FoundFiles): FoundFiles {
  const single: LocalFile[] = [];
  const doubles: LeftOutPath[] = [];
  for (const file of files) {
    const earlier = single.at(-1);
    if (earlier?.path !== file.path) single.push(file);
    else if (earlier.place === file.place) doubles.push({ path: file.path, reason: 'named twice' });
    else failed.push({ path: file.path, reason: `has the same path in the dataset as ${earlier.place}` });
  }
  return { files: single, skipped: [...skipped, ...doubles], failed };
}

/** A hash that changes with any of the files or with their set. */
export function fingerprintOf(files: readonly LocalFile[]): string {
  const hash = createHash('sha256');
  for (const { path, place, sizeBytes, modifiedMs } of files)
    hash.update(JSON.stringify([path, place, sizeBytes, modifiedMs]));
  return hash.digest('hex');
}

export async function sha256OfFile(place: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(place, { signal, highWaterMark: 1024 * 1024 }))
    hash.update(bytes as Buffer);
  return hash.digest('hex');
}
