import { causesOfDelay } from '../../../kernel/sentences/index.ts';
import { AppError, unavailable } from '../../../kernel/errors.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { compressionOf, contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat, isWorkbookType } from '../../../tables/formats.ts';
import { dataErrors } from '../errors.ts';
import { findHubFiles, listHubFiles, type HubFileRow } from '../queries/hub.ts';
import { listTagsOfDatasets } from '../queries/tags.ts';
import type { Card, CardTable, Croissant } from '../schemas/cards.ts';
import { getDatasetVersion, type DatasetVersion } from '../versions/dataset-version.ts';
import type { FileRowViews } from '../views/file-rows.ts';
import type { TableFiles } from '../views/table-files.ts';
import { croissantOf } from './croissant.ts';
import { splitsOf } from './splits.ts';
import { whyUnread, whyUnreadByName } from './unread-tables.ts';

export type Cards = {
  /** A version described for people: texts, licence, sizes, splits, tables. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  card(datasetId: string, version: number | undefined): Promise<Card>;
  /** The same for programs. Also throws CARD_TOO_LARGE, and UNAVAILABLE while checksums or types are being computed. */
  croissant(datasetId: string, version: number | undefined, baseUrl: string): Promise<Croissant>;
};

/** `unread` collects the tables that readers of Croissant can't read, with the reason. */
type Wanted = { needsTypes: boolean; unread: Map<CardTable, string> };

const maxTables = 50;
/** Up to this size, the index of a table is ready soon: a card waits for it. */
const smallTableBytes = 16 * 1024 * 1024;
const maxFiles = 10_000;
const filesAtOnce = 1_000;
const readmeNames = ['README.md', 'Readme.md', 'readme.md', 'README', 'README.txt', 'readme.txt'];
const maxReadmeBytes = 256 * 1024;

export function createCards({
  db,
  blobs,
  tables,
  fileRows,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'open'>;
  tables: Pick<TableFiles, 'find' | 'needIndex' | 'reading'>;
  fileRows: Pick<FileRowViews, 'rows'>;
}): Cards {
  async function* walk({ dataset, version }: DatasetVersion): AsyncGenerator<HubFileRow[]> {
    const files = { datasetId: dataset.id, version: version.version, below: '' };
    for (let after = ''; ;) {
      const rows = await listHubFiles(db.scan, files, after, filesAtOnce);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < filesAtOnce) return;
      after = last.path;
    }
  }

  async function readReadme({
    dataset,
    version,
  }: DatasetVersion): Promise<{ readme: Card['readme']; license: string | null }> {
    const files = { datasetId: dataset.id, version: version.version };
    const found = await findHubFiles(db.read, files, readmeNames);
    const file = readmeNames.flatMap((name) => found.find(({ path }) => path === name) ?? [])[0];
    if (file === undefined) return { readme: null, license: null };
    const bytes = Buffer.alloc(Math.min(file.size_bytes, maxReadmeBytes));
    if (file.blob_id !== null) {
      const reader = await blobs.open(file.blob_id);
      try {
        for (let at = 0; at < bytes.length;) at += await reader.read(bytes.subarray(at), at);
      } finally {
        await reader.close();
      }
    }
    const { text, license } = withoutFrontMatter(new TextDecoder().decode(bytes));
    const cut = file.size_bytes > maxReadmeBytes;
    return { readme: { fileId: file.file_id, path: file.path, text, cut }, license };
  }

  /** The tables of a file: the sheets of a workbook, else one. */
  async function tablesOf(found: DatasetVersion, file: HubFileRow, wanted: Wanted): Promise<CardTable[]> {
    if (!isWorkbookType(fileTypeOf(file.path))) return [await tableOf(found, file, wanted)];
    const { file_id: fileId, path } = file;
    try {
      const { sheets = [] } = await tables.find(found.dataset.id, fileId, found.version.version);
      const shown: CardTable[] = [];
      for (const { name } of sheets) shown.push(await tableOf(found, file, wanted, name));
      return shown;
    } catch (error) {
      return [unknownTable(error, { fileId, path }, wanted.needsTypes)];
    }
  }

  /** A table with its columns and their types from the index; without one, those of its first rows, all typed as text. */
  async function tableOf(
    found: DatasetVersion,
    { file_id: fileId, path }: HubFileRow,
    { needsTypes, unread }: Wanted,
    sheet?: string,
  ): Promise<CardTable> {
    const version = found.version.version;
    const named = sheet === undefined ? {} : { sheet };
    const query = { version, ...named, offset: 0, limit: 100, unreadable: false, maxCellCharacters: 32 };
    try {
      const { blob } = await tables.find(found.dataset.id, fileId, version, sheet);
      const facts =
        blob !== undefined && (needsTypes || blob.sizeBytes <= smallTableBytes)
          ? await tables.reading(path, () => tables.needIndex(blob, path))
          : undefined;
      const { columns, total } = await fileRows.rows(found.dataset.id, fileId, query);
      const table: CardTable = { fileId, path, ...named, columns, rows: total, problem: null };
      const why = whyUnreadByName(path) ?? (facts === undefined ? undefined : whyUnread(path, facts));
      if (why !== undefined) unread.set(table, why);
      return table;
    } catch (error) {
      return { ...unknownTable(error, { fileId, path }, needsTypes), ...named };
    }
  }

  async function cardOf(found: DatasetVersion, files: readonly HubFileRow[], wanted: Wanted): Promise<Card> {
    const { dataset, version } = found;
    const all = files.filter(({ path, size_bytes: size }) => size > 0 && isTable(path));
    const { readme, license } = await readReadme(found);
    const tags = await listTagsOfDatasets(db.read, [dataset.id]);
    const shown: CardTable[] = [];
    for (const file of all.slice(0, maxTables)) shown.push(...(await tablesOf(found, file, wanted)));
    return {
      id: dataset.id,
      name: dataset.name,
      description: dataset.description,
      version: version.version,
      versionName: version.name,
      createdAt: dataset.created_at,
      createdBy: dataset.created_by,
      updatedAt: version.created_at,
      license: dataset.license ?? license,
      citation: dataset.citation,
      tags: tags.map(({ name }) => name),
      fileCount: version.file_count,
      totalSize: version.total_size_bytes,
      readme,
      splits: splitsOf(files),
      tables: shown,
      tableCount: shown.length + Math.max(0, all.length - maxTables),
    };
  }

  return {
    async card(datasetId, asked) {
      const found = await getDatasetVersion(db, datasetId, asked);
      const files: HubFileRow[] = [];
      for await (const rows of walk(found)) files.push(...rows);
      return cardOf(found, files, { needsTypes: false, unread: new Map() });
    },

    async croissant(datasetId, asked, baseUrl) {
      const found = await getDatasetVersion(db, datasetId, asked);
      const { file_count: count } = found.version;
      if (count > maxFiles) throw dataErrors.CARD_TOO_LARGE({ files: count, limit: maxFiles });
      const files: HubFileRow[] = [];
      for await (const rows of walk(found)) files.push(...rows);
      const waiting = files.filter(({ sha256, blob_id: blobId }) => sha256 === null && blobId !== null).length;
      if (waiting > 0) throw unavailable(causesOfDelay.SHA256_BEING_COMPUTED.reason({ files: waiting }), 5);
      const unread = new Map<CardTable, string>();
      const card = await cardOf(found, files, { needsTypes: true, unread });
      return croissantOf(card, unread, files, baseUrl);
    },
  };
}

function isTable(path: string): boolean {
  const format = formatOf(fileTypeOf(contentPathOf(path)));
  return (
    isRowFormat(format) ||
    (format === 'parquet' && compressionOf(path) === undefined) ||
    isWorkbookType(fileTypeOf(path))
  );
}

/** A table whose columns are unknown, with the reason; rethrows errors that the table did not cause. */
function unknownTable(
  error: unknown,
  { fileId, path }: Pick<CardTable, 'fileId' | 'path'>,
  needsTypes: boolean,
): CardTable {
  if (!(error instanceof AppError) || error.kind === 'internal') throw error;
  if (needsTypes && error.kind === 'unavailable') throw error;
  return { fileId, path, columns: [], rows: null, problem: error.message };
}

/** Removes the front matter of a Hub README, YAML between lines of three dashes, and extracts its licence. */
function withoutFrontMatter(given: string): { text: string; license: string | null } {
  const match = /^\uFEFF?---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(given);
  if (match === null) return { text: given, license: null };
  const license = /^license:[ \t]*(\S.*?)[ \t]*$/m.exec(match[1] ?? '')?.[1] ?? null;
  return { text: given.slice(match[0].length), license: license?.replace(/^(["'])(.*)\1$/, '$2') ?? null };
}
