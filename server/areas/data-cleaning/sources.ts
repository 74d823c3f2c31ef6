import type { InputFile } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { matchesGlob } from '../../kernel/path-globs.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess, DatasetHead, SourceFile } from '../data-management/index.ts';
import { inputOf } from './source-files.ts';
import type { MoreSource, GivenSources } from './schemas/sources.ts';
import type { TaskInput } from './schemas/inputs.ts';

/** A dataset in a fixed version; the run puts its files below `folder`, which is empty for a single source. */
export type Source = { datasetId: string; version: number; prefix: string; folder: string };

/** A source as named by a request or task; `version` is null for the current one at the start of a run. */
export type NamedSource = Omit<Source, 'version'> & { version: number | null; head: DatasetHead };

/**
 * As stored in a run's details: the sources besides the first one, and how often each dataset had been purged before
 * the run began.
 */
export type PinnedSources = { sourceFolder?: string; moreSources?: Source[]; purges?: PurgesBefore };

type PurgesBefore = Readonly<Record<string, number>>;

type Selection = Pick<TaskInput, 'fileTypes'> & { exclude?: readonly string[] };

/**
 * Resolves the named sources, the main one first, with the folders of their files: given, or else named after the
 * datasets. Throws INVALID_PARAMETER, SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND.
 */
export async function nameSources(
  find: (id: string) => Promise<DatasetHead | undefined>,
  { sourceDatasetId, sourceVersion, sourceFolder, moreSources = [] }: GivenSources,
  { prefix }: Pick<TaskInput, 'prefix'>,
): Promise<[NamedSource, ...NamedSource[]]> {
  const main = requireSource(await find(sourceDatasetId), sourceDatasetId, sourceVersion);
  if (moreSources.length === 0) {
    if (sourceFolder !== undefined)
      throw invalid('moreSources', parameterProblems.IS_REQUIRED_WITH.reason({ other: 'sourceFolder' }));
    return [{ datasetId: main.id, version: sourceVersion ?? null, prefix, folder: '', head: main }];
  }
  const taken = new Set<string>();
  const given = [sourceFolder, ...moreSources.map(({ folder }) => folder)].map((folder, index) => {
    if (folder === undefined) return undefined;
    const field = index === 0 ? 'sourceFolder' : `moreSources[${index - 1}].folder`;
    const parsed = parseFolder(field, folder);
    if (taken.has(parsed)) throw invalid(field, parameterProblems.SOURCE_FOLDER_TAKEN.reason({}));
    taken.add(parsed);
    return parsed;
  });
  const first = { datasetId: main.id, version: sourceVersion ?? null, prefix, head: main };
  const named = [{ ...first, folder: given[0] ?? freeFolder(main.name, taken) }];
  for (const [index, { datasetId, version, prefix: own = '' }] of moreSources.entries()) {
    const field = `moreSources[${index}]`;
    if (named.some((source) => source.datasetId === datasetId))
      throw invalid(`${field}.datasetId`, parameterProblems.IS_SOURCE_ALREADY.reason({}));
    const head = requireSource(await find(datasetId), datasetId, version);
    named.push({
      datasetId,
      version: version ?? null,
      prefix: parsePrefix(`${field}.prefix`, own),
      folder: given[index + 1] ?? freeFolder(head.name, taken),
      head,
    });
  }
  return named as [NamedSource, ...NamedSource[]];
}

/** Locks the datasets in the same order for all callers, so that they cannot deadlock. Returns a lookup of them. */
export async function lockSources(
  tx: Tx,
  datasets: Pick<DatasetAccess, 'lock'>,
  { sourceDatasetId, moreSources = [] }: Pick<GivenSources, 'sourceDatasetId' | 'moreSources'>,
): Promise<(id: string) => Promise<DatasetHead | undefined>> {
  const heads = new Map<string, DatasetHead | undefined>();
  const ids = new Set([sourceDatasetId, ...moreSources.map(({ datasetId }) => datasetId)]);
  for (const id of [...ids].toSorted()) heads.set(id, await datasets.lock(tx, id));
  return async (id) => heads.get(id);
}

/** How often each dataset had been purged before a run that begins now; call while they are locked. */
export async function countPurges(
  tx: Tx,
  datasets: Pick<DatasetAccess, 'countPurges'>,
  ids: readonly string[],
): Promise<PurgesBefore> {
  const purges: Record<string, number> = {};
  for (const id of ids) purges[id] = await datasets.countPurges(tx, id);
  return purges;
}

/** The sources with the current version filled in where none is named. */
export function currentOf(sources: readonly NamedSource[]): Source[] {
  return sources.map(({ head, version, ...source }) => ({ ...source, version: version ?? head.version }));
}

/** The part of a task's definition that stores the sources besides the main one. */
export function moreSourcesOf([main, ...others]: readonly NamedSource[]): {
  sourceFolder?: string;
  moreSources?: MoreSource[];
} {
  if (main === undefined || others.length === 0) return {};
  return {
    sourceFolder: main.folder,
    moreSources: others.map(({ head, ...source }) => ({ ...source, datasetName: head.name })),
  };
}

/** All sources of a run, from its details. */
export function sourcesIn({
  sourceDatasetId: datasetId,
  sourceVersion: version,
  input: { prefix },
  sourceFolder: folder = '',
  moreSources = [],
}: PinnedSources & { sourceDatasetId: string; sourceVersion: number; input: Pick<TaskInput, 'prefix'> }): Source[] {
  return [{ datasetId, version, prefix, folder }, ...moreSources];
}

/** The files of the sources, with paths below the folder of their source, ordered by these paths. */
export async function* walkSources(
  datasets: Pick<DatasetAccess, 'walkFiles'>,
  db: Db,
  sources: readonly Source[],
  { fileTypes, exclude = [] }: Selection,
  filesAtOnce?: number,
): AsyncGenerator<(SourceFile & { source?: string })[]> {
  for (const { folder, ...source } of inPathOrder(sources)) {
    const below = (path: string): string => (folder === '' ? path : `${folder}/${path}`);
    const own = folder === '' ? {} : { source: source.datasetId };
    for await (const files of datasets.walkFiles(db, { ...source, fileTypes }, filesAtOnce)) {
      yield files
        .map((file) => ({ ...file, ...own, path: below(file.path) }))
        .filter(({ path }) => !exclude.some((pattern) => matchesGlob(path, pattern)));
    }
  }
}

/** Paths of the sources' files that were purged since the run began. */
export async function* walkPurged(
  datasets: Pick<DatasetAccess, 'walkPurged'>,
  db: Db,
  { sources, purges = {} }: { sources: readonly Source[]; purges: PurgesBefore | undefined },
  { fileTypes, exclude = [] }: Selection,
): AsyncGenerator<string[]> {
  for (const { folder, ...source } of sources) {
    const known = purges[source.datasetId];
    // The run was begun by the previous release.
    if (known === undefined) continue;
    for await (const paths of datasets.walkPurged(db, { ...source, fileTypes }, known))
      yield paths
        .map((path) => (folder === '' ? path : `${folder}/${path}`))
        .filter((path) => !exclude.some((pattern) => matchesGlob(path, pattern)));
  }
}

/** Like `walkSources`, as input of the engine. */
export async function* inputsOf(
  datasets: Pick<DatasetAccess, 'walkFiles'>,
  db: Db,
  sources: readonly Source[],
  selection: Selection,
): AsyncGenerator<InputFile[]> {
  for await (const files of walkSources(datasets, db, sources, selection)) yield files.map(inputOf);
}

/** The first `limit` files. */
export async function firstFiles(
  walk: AsyncGenerator<(SourceFile & { source?: string })[]>,
  limit: number,
): Promise<(SourceFile & { source?: string })[]> {
  const first: (SourceFile & { source?: string })[] = [];
  for await (const files of walk) {
    first.push(...files.slice(0, limit - first.length));
    if (first.length >= limit) break;
  }
  return first;
}

/** In the path order of the database: by bytes. */
function inPathOrder(sources: readonly Source[]): Source[] {
  return sources.toSorted((one, other) =>
    Buffer.compare(Buffer.from(`${one.folder}/`), Buffer.from(`${other.folder}/`)),
  );
}

function parseFolder(field: string, folder: string): string {
  const parsed = parsePrefix(field, folder);
  if (parsed === '') throw invalid(field, parameterProblems.MUST_NOT_BE_EMPTY.reason({}));
  if (parsed.includes('/')) throw invalid(field, parameterProblems.MUST_BE_ONE_NAME.reason({}));
  return parsed;
}

const maxFolderLength = 60;

/** Derives a unique folder name from a dataset's name, without characters special in patterns and weights. */
function freeFolder(name: string, taken: Set<string>): string {
  const plain = [...name.replace(/[\p{C}/\\,="*?]+/gu, '-').trim()].slice(0, maxFolderLength).join('');
  const own = /^\.{0,2}$/.test(plain) ? 'source' : plain;
  let folder = own;
  for (let number = 2; taken.has(folder); number += 1) folder = `${own} ${number}`;
  taken.add(folder);
  return folder;
}
