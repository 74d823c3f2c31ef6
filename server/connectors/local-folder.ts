import type { BigIntStats, Dirent } from 'node:fs';
import { constants, open, opendir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { allowedPath, fileProblem, findPathProblem, isWithin } from './allowed-folders.ts';
import { defineConnector, SourceError, type FileItem, type LeftOut } from './connector.ts';
import { filterFields, findExclusion } from './path-filter.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const pieceBytes = 1024 * 1024;
const sampleFiles = 5;

export const localFolder = defineConnector({
  type: 'local-folder',
  name: 'Server folder',
  description:
    'Reads all files below a folder on the machine that Tilth runs on: a local disk or a mounted NAS. An administrator must allow the folder (TILTH_COLLECTION_ROOTS); symbolic links are not followed.',
  incremental: true,
  listsAll: true,
  parallel: 4,
  config: Type.Object({
    path: Type.String({ minLength: 1, maxLength: 4096, description: 'Absolute path of the folder' }),
    ...filterFields,
  }),

  validate: ({ path }, roots) => findPathProblem('path', path, roots),

  async check({ path, ...filter }, { roots, signal }) {
    const root = await allowedPath(path, roots);
    if (!(await stat(root)).isDirectory()) throw new SourceError(sourceSentences.PATH_NO_FOLDER.reason({ path }));
    const sample: Record<string, unknown>[] = [];
    let leftOut = 0;
    for await (const found of walk(root, '', signal)) {
      if (found.kind !== 'found' || findExclusion(found.path, filter) !== undefined) leftOut += 1;
      else {
        const { size, mtime } = await stat(join(root, found.path));
        sample.push({ name: found.path, sizeBytes: size, modifiedAt: mtime.toISOString() });
      }
      if (sample.length === sampleFiles || leftOut > 10_000) break;
    }
    const message = (sample.length === 0 ? sourceSentences.FOLDER_NOTHING : sourceSentences.FOLDER_READABLE).reason({});
    return { message, sample };
  },

  async *read({ path, ...filter }, { roots, signal }, cursor) {
    const root = await allowedPath(path, roots);
    if (!(await stat(root)).isDirectory()) throw new SourceError(sourceSentences.PATH_NO_FOLDER.reason({ path }));
    const after = typeof cursor === 'string' ? cursor.split('/') : undefined;
    for await (const found of walk(root, '', signal, after)) {
      if (found.kind !== 'found') {
        yield found;
        continue;
      }
      const exclusion = findExclusion(found.path, filter);
      if (exclusion === undefined) yield itemOf(root, found.path, path);
      else yield { kind: 'dropped', name: found.path, reason: exclusion, cursor: found.path };
    }
  },
});

type Found = { kind: 'found'; path: string };

/** The files below a folder, sorted by name, folder by folder; names that are not UTF-8 are failures. */
async function* walk(
  root: string,
  folder: string,
  signal: AbortSignal,
  after?: readonly string[],
): AsyncGenerator<Found | LeftOut> {
  signal.throwIfAborted();
  let entries: Dirent[];
  try {
    entries = await entriesOf(join(root, folder));
  } catch (error) {
    if (folder === '') throw new SourceError(fileProblem(root, error), { cause: error });
    yield { kind: 'failed', name: `${folder}/`, reason: fileProblem(folder, error) };
    return;
  }
  const [first, ...rest] = after ?? [];
  for (const entry of entries) {
    const { name } = entry;
    if (first !== undefined && name < first) continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const isPassed = name === first;
    if (entry.isDirectory()) yield* walk(root, path, signal, isPassed && rest.length > 0 ? rest : undefined);
    else if (isPassed) continue;
    else if (name.includes('\ufffd')) {
      yield { kind: 'failed', name: path, reason: sourceSentences.NAME_NO_UTF8.reason({}) };
    } else if (entry.isFile()) yield { kind: 'found', path };
    else if (entry.isSymbolicLink()) {
      const target = await readlink(join(root, path)).catch(() => '?');
      yield { kind: 'dropped', name: path, reason: sourceSentences.LINK_TO.reason({ target }) };
    } else yield { kind: 'dropped', name: path, reason: sourceSentences.NO_PLAIN_FILE.reason({}) };
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function itemOf(root: string, path: string, folder: string): FileItem {
  return {
    kind: 'file',
    key: join(folder, path),
    name: path,
    path: safePath(path.split('/')),
    cursor: path,
    async load(known) {
      const file = await openWithin(root, path);
      try {
        const before = await file.stat({ bigint: true });
        const stamp = stampOf(before);
        if (JSON.stringify(known) === JSON.stringify(stamp)) {
          await file.close();
          return 'unchanged';
        }
        const evidence = { modifiedAt: before.mtime.toISOString() };
        return { bytes: contentOf(file, path, before), stamp, evidence };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

type Handle = Awaited<ReturnType<typeof open>>;

/** Opens a file without following links; checks where it is, in case a folder on the way has become a link. */
async function openWithin(root: string, path: string): Promise<Handle> {
  let file: Handle;
  try {
    file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new SourceError(fileProblem(path, error), { cause: error });
  }
  const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => join(root, path));
  const isRegular = (await file.stat()).isFile();
  if (isWithin(real, root) && isRegular) return file;
  await file.close();
  throw new SourceError(
    (isRegular ? sourceSentences.PATH_LEADS_AWAY : sourceSentences.PATH_NO_FILE_NOW).reason({ path }),
  );
}

async function* contentOf(file: Handle, path: string, before: BigIntStats): AsyncGenerator<Uint8Array> {
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, pieceBytes);
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
    }
    const after = await file.stat({ bigint: true });
    if (JSON.stringify(stampOf(after)) !== JSON.stringify(stampOf(before)))
      throw new SourceError(sourceSentences.PATH_CHANGED.reason({ path }));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(fileProblem(path, error), { cause: error });
  } finally {
    await file.close();
  }
}

/** Size, modification time and inode: the inode reveals a file that was replaced by a move, whatever its times. */
function stampOf({ size, mtimeNs, ino }: BigIntStats): { size: string; mtimeNs: string; ino: string } {
  return { size: String(size), mtimeNs: String(mtimeNs), ino: String(ino) };
}
