import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { offsetOf, parseSort, toPage, type Page } from '../../../kernel/page.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { DatasetsTable } from '../../../storage/database/tables/datasets.ts';
import { getDatasetType } from './dataset-types.ts';
import { dataErrors } from '../errors.ts';
import { lockDataset } from '../queries/commits.ts';
import { countErrors, listCounts, listCountsAt } from '../queries/counts.ts';
import {
  countDatasets,
  findDataset,
  findDatasetWithTags,
  insertDataset,
  listDatasets,
  updateDataset,
  type DatasetFilter,
  type DatasetOrder,
  type TagOfDataset,
} from '../queries/datasets.ts';
import { listTagsOfDatasets, replaceTagsOfDataset } from '../queries/tags.ts';
import { findVersion, insertVersion } from '../queries/versions.ts';
import type {
  Dataset,
  DatasetChanges,
  DatasetsQuery,
  DatasetStatus,
  NewDataset,
  Statistics,
  datasetSortFields,
} from '../schemas/datasets.ts';
import type { DatasetTypeCode } from '../schemas/dataset-types.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';
import { parseTagNames, setTags } from './tags.ts';
import { parseName, parseText } from '../../../kernel/text-fields.ts';
import { statisticsOf, completionRate } from './dataset-statistics.ts';

export type Datasets = {
  list(query: DatasetsQuery): Promise<Page<Dataset>>;
  create(dataset: NewDataset, by: string): Promise<Dataset>;
  /** Like `create`, within the caller's transaction; returns the id. */
  insert(tx: Tx, dataset: NewDataset, by: string): Promise<string>;
  /** Throws DATASET_NOT_FOUND, as do all methods that take an id. */
  get(id: string): Promise<Dataset>;
  update(id: string, changes: DatasetChanges, by: string): Promise<Dataset>;
  /** Invisible at once, its rows and bytes erased soon after; throws DATASET_BUSY. */
  remove(id: string, by: string): Promise<void>;
  statistics(id: string, version?: number): Promise<Statistics>;
};

export type DatasetServices = {
  db: Database;
  clock: Clock;
  /** Whether something reads or writes a dataset, so that it can't be deleted. */
  isBusy(tx: Tx, datasetId: string): Promise<boolean>;
  /** Called after a delete. */
  onRemoved(): void;
};

const orderColumns: Readonly<Record<(typeof datasetSortFields)[number], DatasetOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  fileCount: 'file_count',
  totalSize: 'total_size_bytes',
};

export function createDatasets({ db, clock, isBusy, onRemoved }: DatasetServices): Datasets {
  async function insert(tx: Tx, dataset: ParsedDataset, by: string): Promise<string> {
    const id = newId();
    const now = isoNow(clock);
    await insertDataset(tx, {
      id,
      name: dataset.name,
      ...searchColumns(dataset.name, dataset.description),
      description: dataset.description,
      type: dataset.type,
      status: 'ACTIVE',
      data_source: dataset.dataSource,
      target_location: dataset.targetLocation,
      license: dataset.license,
      citation: dataset.citation,
      version: 1,
      open_upload_id: null,
      file_count: 0,
      completed_count: 0,
      total_size_bytes: 0,
      created_at: now,
      created_by: by,
      updated_at: now,
      updated_by: by,
      deleted_at: null,
    });
    await insertVersion(tx, {
      dataset_id: id,
      version: 1,
      created_at: now,
      created_by: by,
      name: null,
      message: null,
      message_sentence: null,
      upload_id: null,
      files_added: 0,
      files_ended: 0,
      file_count: 0,
      total_size_bytes: 0,
    });
    if (dataset.tags.length > 0) await setTags(tx, id, dataset.tags, now);
    return id;
  }

  async function get(id: string): Promise<Dataset> {
    const found = await findDatasetWithTags(db.read, id);
    if (found === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
    const errors = await countErrors(db.read, [id]);
    return toDataset(found.row, found.tags, errors.get(id));
  }

  return {
    async list(query) {
      const filter: DatasetFilter = {
        type: query.type,
        status: query.status,
        keyword: query.keyword === undefined || query.keyword === '' ? undefined : searchTextOf(query.keyword),
        tagKeys: tagKeysOf(query.tags ?? ''),
        hasErrors: query.hasErrors,
      };
      const total = await countDatasets(db.scan, filter);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const order = parseSort(orderColumns, query.sort, { column: 'created_at', direction: 'desc' });
      const rows = await listDatasets(db.scan, filter, order, { limit: query.size, offset });
      const tags = Map.groupBy(
        await listTagsOfDatasets(
          db.scan,
          rows.map((row) => row.id),
        ),
        (tag) => tag.dataset_id,
      );
      const errors = await countErrors(
        db.scan,
        rows.map((row) => row.id),
      );
      return toPage(
        rows.map((row) => toDataset(row, tags.get(row.id) ?? [], errors.get(row.id))),
        query,
        total,
      );
    },

    async create(dataset, by) {
      const parsed = parseDataset(dataset);
      return get(await db.write((tx) => insert(tx, parsed, by)));
    },

    insert: (tx, dataset, by) => insert(tx, parseDataset(dataset), by),

    get,

    async update(id, { name, description, tags, status, license, citation }, by) {
      const values: Partial<DatasetsTable> = {};
      if (name !== undefined) values.name = parseName('name', name, 100);
      if (description !== undefined) values.description = parseText('description', description, 500);
      if (status !== undefined) values.status = status;
      if (license !== undefined) values.license = parseOptional('license', license, 200);
      if (citation !== undefined) values.citation = parseOptional('citation', citation, 2000);
      const tagNames = tags === undefined ? undefined : parseTagNames('tags', tags);
      if (tagNames !== undefined || Object.keys(values).length > 0)
        await db.write(async (tx) => {
          const locked = await lockDataset(tx, id);
          const row = locked === undefined ? undefined : await findDataset(tx, id);
          if (row === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
          const now = isoNow(clock);
          if (tagNames !== undefined) await setTags(tx, id, tagNames, now);
          await updateDataset(tx, id, {
            ...values,
            ...searchColumns(values.name ?? row.name, values.description ?? row.description),
            updated_at: now,
            updated_by: by,
          });
        });
      return get(id);
    },

    async remove(id, by) {
      await db.write(async (tx) => {
        if ((await lockDataset(tx, id)) === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
        if (await isBusy(tx, id)) throw dataErrors.DATASET_BUSY({ id });
        const now = isoNow(clock);
        await updateDataset(tx, id, { deleted_at: now, updated_at: now, updated_by: by });
        await replaceTagsOfDataset(tx, id, []);
      });
      onRemoved();
    },

    async statistics(id, version) {
      const row = await findDataset(db.read, id);
      if (row === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
      if (version === undefined || version === row.version) return statisticsOf(row, await listCounts(db.read, id));
      const at = await findVersion(db.read, id, version);
      if (at === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
      const counts = await listCountsAt(db.scan, id, version);
      const completed = counts.filter(({ status }) => status === 'COMPLETED');
      const completed_count = completed.reduce((sum, { file_count }) => sum + file_count, 0);
      return statisticsOf({ ...at, completed_count }, counts);
    },
  };
}

type ParsedDataset = {
  name: string;
  description: string;
  type: DatasetTypeCode;
  tags: string[];
  dataSource: string | null;
  targetLocation: string | null;
  license: string | null;
  citation: string | null;
};

function parseDataset({
  name,
  description = '',
  type,
  tags = [],
  dataSource,
  targetLocation,
  license = null,
  citation = null,
}: NewDataset): ParsedDataset {
  return {
    name: parseName('name', name, 100),
    description: parseText('description', description, 500),
    type,
    tags: parseTagNames('tags', tags),
    dataSource: dataSource === undefined ? null : parseText('dataSource', dataSource, 4096),
    targetLocation: targetLocation === undefined ? null : parseText('targetLocation', targetLocation, 4096),
    license: parseOptional('license', license, 200),
    citation: parseOptional('citation', citation, 2000),
  };
}

/** Parses an optional text; a blank one becomes null. */
function parseOptional(field: string, text: string | null, max: number): string | null {
  return text === null || text.trim() === '' ? null : parseText(field, text.trim(), max);
}

/** U+FFFF is not a character: no keyword matches across name and description. */
function searchColumns(name: string, description: string): Pick<DatasetsTable, 'name_key' | 'search_text'> {
  return { name_key: searchTextOf(name), search_text: searchTextOf(`${name}\uFFFF${description}`) };
}

function tagKeysOf(tags: string): string[] {
  const names = tags.split(',').map((name) => searchTextOf(name.trim()));
  return [...new Set(names.filter((name) => name !== ''))];
}

function toDataset(row: DatasetsTable, tags: readonly TagOfDataset[], errorCount = 0): Dataset {
  const { code, name, supportedFormats } = getDatasetType(row.type);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    type: { code, name, supportedFormats },
    status: row.status as DatasetStatus,
    tags: tags.map(({ id, name, color }) => ({ id, name, color })),
    fileCount: row.file_count,
    errorCount,
    totalSize: row.total_size_bytes,
    completionRate: completionRate(row),
    version: row.version,
    dataSource: row.data_source,
    targetLocation: row.target_location,
    license: row.license,
    citation: row.citation,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}
