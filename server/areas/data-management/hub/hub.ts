import { parseFilePath, parsePrefix } from '../../../kernel/file-path.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import type { DatasetsTable, VersionsTable } from '../../../storage/database/tables/datasets.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { Download, Downloads } from '../downloads/downloads.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { findDataset } from '../queries/datasets.ts';
import {
  findDatasetsByName,
  findHubFiles,
  findNamedVersion,
  listHubFiles,
  listNamedVersions,
  type HubFileRow,
} from '../queries/hub.ts';
import { listTagsOfDatasets } from '../queries/tags.ts';
import { findVersion } from '../queries/versions.ts';
import type { Dataset } from '../schemas/datasets.ts';
import { isReservedName } from '../versions/version-names.ts';
import { withLastCommits } from './hub-commits.ts';
import { commitOf, isId, parseRevision, type HubName, type HubRevision } from './hub-names.ts';
import { toHubEntry, walkLevel, withFolders, type HubEntry } from './hub-tree.ts';
import type { ReadAllowance } from './read-allowance.ts';

/** A dataset in the form that Hub clients expect. */
export type HubInfo = {
  id: string;
  author: string;
  sha: string;
  private: true;
  gated: false;
  disabled: false;
  createdAt: string;
  lastModified: string;
  tags: string[];
  description: string;
  downloads: 0;
  likes: 0;
  siblings?: {
    rfilename: string;
    size?: number;
    blobId?: string;
    lfs?: { size: number; sha256: string; pointerSize: number };
  }[];
};

export type TreeQuery = {
  path: string;
  recursive: boolean;
  cursor: string;
  limit: number;
  /** With the commit that last changed each entry. */
  expand: boolean;
};

/** The reader's credential; `charge` counts a call towards its limits and throws when they are used up. */
export type HubReader = { credentialId: string; charge(): void };

/** The read side of the Hub's API for datasets: the metadata that clients request before files, and the files. */
export type Hub = {
  list(query: {
    search?: string | undefined;
    page: number;
    size: number;
  }): Promise<{ infos: HubInfo[]; isLast: boolean }>;
  /** `withSizes`: sizes and checksums of the files, too. */
  info(name: HubName, revision: string, withSizes: boolean): Promise<HubInfo>;
  refs(name: HubName): Promise<{ branches: object[]; tags: object[]; converts: object[] }>;
  /** One page of a folder; `cursor` continues it. */
  tree(
    name: HubName,
    revision: string,
    query: TreeQuery,
    reader: HubReader,
  ): Promise<{ entries: HubEntry[]; cursor: string | undefined }>;
  /** Returns the entries of the paths that exist. */
  paths(
    name: HubName,
    revision: string,
    query: { paths: readonly string[]; expand: boolean },
    reader: HubReader,
  ): Promise<HubEntry[]>;
  /** Charges a call that the allowance does not cover. */
  file(
    name: HubName,
    revision: string,
    path: string,
    reader: HubReader,
  ): Promise<Download & { commit: string; sha256: string | null }>;
};

/** Limit of files listed by `info`: clients list larger datasets by `tree`. */
const maxSiblings = 50_001;
const filesAtOnce = 1_000;
const listedTags = 1_000;

type Found = { dataset: DatasetsTable; version: VersionsTable; commit: string };

export function createHub({
  db,
  datasets,
  downloads,
  commits,
  allowance,
}: {
  db: Database;
  datasets: Pick<Datasets, 'list'>;
  downloads: Pick<Downloads, 'file'>;
  commits: Pick<FileCommits, 'closeVersion'>;
  /** Undefined: every call counts. */
  allowance: ReadAllowance | undefined;
}): Hub {
  async function findByName({ namespace, name }: HubName): Promise<DatasetsTable> {
    const byId = isId(name) ? await findDataset(db.read, name) : undefined;
    if (byId !== undefined) return byId;
    const nameKey = searchTextOf(name);
    // The namespace may be the user who created the dataset; any other one is ignored.
    const own =
      namespace === undefined ? [] : await findDatasetsByName(db.read, { name, nameKey, createdBy: namespace });
    const found = own.length > 0 ? own : await findDatasetsByName(db.read, { name, nameKey, createdBy: undefined });
    const [dataset, other] = found;
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: name });
    if (other !== undefined) throw dataErrors.HUB_NAME_AMBIGUOUS({ name });
    return dataset;
  }

  async function findRevision(dataset: DatasetsTable, asked: HubRevision): Promise<VersionsTable | undefined> {
    if (asked.kind === 'unknown') return undefined;
    if (asked.kind === 'name') return findNamedVersion(db.read, dataset.id, asked.name);
    return findVersion(db.read, dataset.id, asked.kind === 'version' ? asked.version : dataset.version);
  }

  async function find(name: HubName, revision: string): Promise<Found> {
    const dataset = await findByName(name);
    const version = await findRevision(dataset, parseRevision(dataset.id, revision));
    if (version === undefined) throw dataErrors.HUB_REVISION_NOT_FOUND({ revision });
    return { dataset, version, commit: commitOf(dataset.id, version.version) };
  }

  /** Like `find`, and charges a call that the allowance does not cover. */
  async function findCharged(name: HubName, revision: string, { credentialId, charge }: HubReader): Promise<Found> {
    const found = await find(name, revision).catch((error: unknown) => {
      // What is missing has no allowance.
      charge();
      throw error;
    });
    const { commit, version } = found;
    const read = { commit, files: version.file_count, bytes: version.total_size_bytes };
    if (allowance?.take(credentialId, read) !== true) charge();
    return found;
  }

  /** Like `find`, but closes the version: clients expect a commit never to change. */
  async function findClosed(name: HubName, revision: string): Promise<Found> {
    const found = await find(name, revision);
    const { dataset, version } = found;
    if (dataset.open_upload_id === null || version.version !== dataset.version) return found;
    try {
      await db.write((tx) => commits.closeVersion(tx, dataset.id, version.version));
    } catch (error) {
      // On a full disk no commit can add to the version either, and stored data stays readable.
      if (!isStorageFull(error)) throw error;
    }
    return find({ namespace: undefined, name: dataset.id }, String(version.version));
  }

  async function listAll(datasetId: string, version: number): Promise<HubFileRow[]> {
    const files: HubFileRow[] = [];
    while (files.length < maxSiblings) {
      const after = files.at(-1)?.path ?? '';
      const limit = Math.min(filesAtOnce, maxSiblings - files.length);
      const rows = await listHubFiles(db.scan, { datasetId, version, below: '' }, after, limit);
      files.push(...rows);
      if (rows.length < limit) break;
    }
    return files;
  }

  return {
    async list({ search, page, size }) {
      const found = await datasets.list({ page, size, ...(search === undefined ? {} : { keyword: search }) });
      return { infos: found.content.map(infoOfDataset), isLast: found.last };
    },

    async info(name, revision, withSizes) {
      const { dataset, version, commit } = await findClosed(name, revision);
      const files = await listAll(dataset.id, version.version);
      const tags = await listTagsOfDatasets(db.read, [dataset.id]);
      return {
        ...commonInfo(dataset.id, commit),
        author: dataset.created_by,
        createdAt: dataset.created_at,
        lastModified: version.created_at,
        tags: tags.map((tag) => tag.name),
        description: dataset.description,
        siblings: files.map((file) => {
          const { path: rfilename, size, oid: blobId, lfs } = toHubEntry(file);
          if (!withSizes) return { rfilename };
          const large = lfs === undefined ? {} : { lfs: { size, sha256: lfs.oid, pointerSize: lfs.pointerSize } };
          return { rfilename, size, blobId, ...large };
        }),
      };
    },

    async refs(name) {
      const { dataset, commit } = await find(name, 'main');
      const named = (await listNamedVersions(db.read, dataset.id, listedTags)).filter(
        ({ name: tag }) => !isReservedName(tag),
      );
      return {
        branches: [{ name: 'main', ref: 'refs/heads/main', targetCommit: commit }],
        tags: named.map(({ name: tag, version }) => {
          return { name: tag, ref: `refs/tags/${tag}`, targetCommit: commitOf(dataset.id, version) };
        }),
        converts: [],
      };
    },

    async tree(name, revision, { path, recursive, cursor, limit, expand }, reader) {
      const { dataset, version } = await findCharged(name, revision, reader);
      const below = parsePrefix('path', path);
      const files = { datasetId: dataset.id, version: version.version, below };
      const load = (after: string, count: number): Promise<HubFileRow[]> => listHubFiles(db.scan, files, after, count);
      if (below !== '' && cursor === '' && (await load('', 1)).length === 0)
        throw dataErrors.HUB_ENTRY_NOT_FOUND({ version: version.version, path });
      const page = recursive
        ? await readAllBelow(load, { below, after: cursor, limit })
        : await walkLevel(load, { below, after: cursor, limit });
      return expand ? { ...page, entries: await withLastCommits(db.scan, files, page.entries) } : page;
    },

    async paths(name, revision, { paths, expand }, reader) {
      const { dataset, version } = await findCharged(name, revision, reader);
      const files = { datasetId: dataset.id, version: version.version };
      const wanted = [...new Set(paths.map((path) => parsePrefix('paths', path)))].filter((path) => path !== '');
      const found = new Map((await findHubFiles(db.read, files, wanted)).map((file) => [file.path, toHubEntry(file)]));
      const entries: HubEntry[] = [];
      for (const path of wanted) {
        const file = found.get(path);
        if (file !== undefined) entries.push(file);
        else if ((await listHubFiles(db.read, { ...files, below: path }, '', 1)).length > 0)
          entries.push({ type: 'directory', path, oid: '', size: 0 });
      }
      return expand ? withLastCommits(db.read, files, entries) : entries;
    },

    async file(name, revision, given, reader) {
      const { dataset, version, commit } = await findCharged(name, revision, reader);
      const path = parseFilePath('path', given);
      const [row] = await findHubFiles(db.read, { datasetId: dataset.id, version: version.version }, [path]);
      if (row === undefined) throw dataErrors.HUB_ENTRY_NOT_FOUND({ version: version.version, path });
      return { ...(await downloads.file(dataset.id, row.file_id, version.version)), commit, sha256: row.sha256 };
    },
  };
}

/** Everything below a folder, in pages of files. */
async function readAllBelow(
  load: (after: string, limit: number) => Promise<HubFileRow[]>,
  { below, after, limit }: { below: string; after: string; limit: number },
): Promise<{ entries: HubEntry[]; cursor: string | undefined }> {
  const rows = await load(after, limit);
  return { entries: withFolders(rows, { below, after }), cursor: rows.length < limit ? undefined : rows.at(-1)?.path };
}

function commonInfo(id: string, sha: string) {
  return { id, sha, private: true, gated: false, disabled: false, downloads: 0, likes: 0 } as const;
}

function infoOfDataset({ id, version, createdBy, createdAt, updatedAt, tags, description }: Dataset): HubInfo {
  const names = tags.map(({ name }) => name);
  const common = commonInfo(id, commitOf(id, version));
  return { ...common, author: createdBy, createdAt, lastModified: updatedAt, tags: names, description };
}
