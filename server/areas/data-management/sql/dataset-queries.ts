import { createReadStream } from 'node:fs';
import { open as openFile, stat } from 'node:fs/promises';
import type { ByteSource } from '../../../kernel/byte-source.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { contentTypeOf } from '../../../kernel/content-types.ts';
import { AppError, invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { fileTypeOf, parseFilePath } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import { foreign, versionMessages } from '../../../kernel/sentences/index.ts';
import { recordQuery } from '../../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { QueryFormat, TableQueries } from '../../../tables/queries/index.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { toFile } from '../files/file-record.ts';
import type { SourceFileRow } from '../queries/source-files.ts';
import type { File } from '../schemas/files.ts';
import type {
  DatasetTables,
  QueryExport,
  QueryRequest,
  QueryResult,
  QuerySave,
  QueryVersion,
} from '../schemas/dataset-queries.ts';
import type { TableFile, TableFiles } from '../views/table-files.ts';
import type { ViewStore } from '../views/view-store.ts';
import { createRunningQueries } from './running-queries.ts';
import { asNamed, createStatementTables, type QueryCall } from './statement-tables.ts';
import type { TableNames } from './table-names.ts';

/** The bytes of a result, as a download. */
export type QueryDownload = { source: ByteSource; tag: string; contentType: string; fileName: string };

/**
 * SQL statements of users over the tables of a dataset. All methods throw DATASET_NOT_FOUND, VERSION_NOT_FOUND, SQL_INVALID,
 * SQL_REFUSED, NOT_A_TABLE, and UNAVAILABLE while the index of a table is being built.
 */
export type DatasetQueries = {
  /** The tables that a statement can name. */
  tables(datasetId: string, query: QueryVersion): Promise<DatasetTables>;
  run(call: QueryCall, request: QueryRequest): Promise<QueryResult>;
  /** Ends a running query of the same user; throws QUERY_NOT_FOUND. */
  cancel(datasetId: string, queryId: string, by: string): void;
  /** Calls `send` with the whole result, which is deleted afterwards. */
  export<T>(call: QueryCall, request: QueryExport, send: (download: QueryDownload) => Promise<T>): Promise<T>;
  /** Adds the whole result to the dataset as a file, in a version of its own; throws what a commit throws. */
  save(call: QueryCall, request: QuerySave): Promise<File>;
};

const formats: Readonly<Record<string, QueryFormat>> = {
  csv: 'CSV',
  jsonl: 'JSONL',
  ndjson: 'JSONL',
  parquet: 'PARQUET',
};

/** Characters of a statement kept in a version's message. */
const maxMessageSql = 400;

export function createDatasetQueries({
  db,
  clock,
  blobs,
  commits,
  queries,
  names,
  tables,
  store,
}: {
  db: Database;
  clock: Clock;
  blobs: Pick<BlobStore, 'create' | 'flush' | 'adopt' | 'settle'>;
  commits: Pick<FileCommits, 'add'>;
  queries: TableQueries;
  names: TableNames;
  tables: TableFiles;
  store: ViewStore;
}): DatasetQueries {
  const statements = createStatementTables({ db, queries, names, tables, store });
  const running = createRunningQueries();

  async function stage(path: string): Promise<StagedBlob> {
    const writer = blobs.create();
    try {
      for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) await writer.write(piece as Buffer);
      return await writer.finish();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Empty for a workbook that can't be read, or not soon; a query that names it reports why. */
  async function lookInto(file: SourceFileRow, sheet: string | undefined): Promise<Partial<TableFile>> {
    try {
      return await tables.of(file, sheet);
    } catch (error) {
      if (error instanceof AppError && (error.code === 'NOT_A_TABLE' || error.kind === 'unavailable')) return {};
      throw error;
    }
  }

  return {
    async tables(datasetId, { version: asked }) {
      const version = await tables.versionOf(datasetId, asked);
      const found = await names.list({ datasetId, version });
      const content = await Promise.all(
        found.map(async ({ file, sheet, names: itsNames }) => {
          const isReadable = file.status === 'COMPLETED' && file.blob_id !== null && file.size_bytes > 0;
          const { blob, sheets } = isReadable ? await lookInto(file, sheet) : {};
          const facts = blob === undefined ? undefined : await store.find(blob);
          return {
            fileId: file.file_id,
            filePath: file.path,
            ...(blob?.sheet === undefined
              ? {}
              : { sheet: blob.sheet.name, isHidden: sheets?.[blob.sheet.number]?.isHidden === true }),
            fileSize: file.size_bytes,
            names: itsNames,
            rows: facts?.rows ?? null,
            columns: facts === undefined ? null : asNamed(facts.columns),
          };
        }),
      );
      return { version, tables: content };
    },

    async run(call, { sql, limit = 1_000, offset = 0, maxCellCharacters = 10_000, queryId }) {
      const { datasetId, by } = call;
      const startedAt = performance.now();
      return running.run({ datasetId, by, ...(queryId === undefined ? {} : { queryId }) }, call.signal, (signal) =>
        statements.with({ ...call, signal }, sql, async ({ tables: opened, used, version }) => {
          const request = { sql, tables: opened, offset, limit, maxCellCharacters };
          const result = await queries.read(request, { owner: by, signal });
          const tookMs = Math.round(performance.now() - startedAt);
          return { ...result, version, offset, tables: used, tookMs };
        }),
      );
    },

    cancel: (datasetId, queryId, by) => running.cancel({ datasetId, queryId, by }),

    export: (call, { sql, format }, send) =>
      statements.with(call, sql, ({ tables: opened }) =>
        queries.write({ sql, tables: opened, format }, { owner: call.by, signal: call.signal }, async ({ path }) => {
          const fileName = `result.${format.toLowerCase()}`;
          const source = await fileSource(path);
          return send({ source, tag: newId(), contentType: contentTypeOf(fileName), fileName });
        }),
      ),

    async save(call, { sql, filePath, onConflict = 'ERROR', message }) {
      const path = parseFilePath('filePath', filePath);
      const format = formats[fileTypeOf(path)];
      if (format === undefined) throw invalid('filePath', parameterProblems.MUST_END_AS_TABLE.reason({}));
      const { datasetId, by, signal } = call;
      return statements.with(call, sql, ({ tables: opened, used, version }) =>
        queries.write({ sql, tables: opened, format }, { owner: by, signal }, async (result) => {
          const staged = await stage(result.path);
          try {
            await blobs.flush();
            const made = versionMessages.QUERIED.reason({ version, sql: shortened(sql) });
            return await db.write(async (tx) => {
              await blobs.adopt(tx, [staged]);
              const { sizeBytes, id: blobId } = staged;
              const file = { path, originalName: path, sizeBytes, status: 'COMPLETED' as const, blobId };
              const commit = {
                datasetId,
                by,
                onConflict,
                files: [file],
                message: message === undefined ? made : foreign(message),
              };
              const added = await commits.add(tx, commit);
              const [outcome] = added.outcomes;
              if (outcome === undefined) throw new Error('A commit without an outcome');
              if (outcome.kind === 'conflict') throw outcome.error;
              // The commit has locked the dataset: an earlier purge is detected here, and a later one sees the record.
              await statements.requireKept(tx, datasetId, used);
              await recordQuery(tx, {
                id: newId(),
                datasetId,
                readVersion: version,
                version: added.version,
                sql: shortened(sql),
                by,
                at: clock.now().toISOString(),
              });
              return toFile(outcome.file, staged.sha256);
            });
          } finally {
            await blobs.settle([staged]);
          }
        }),
      );
    },
  };
}

function shortened(sql: string): string {
  const line = sql.trim().replaceAll(/\s+/g, ' ');
  return line.length <= maxMessageSql ? line : `${line.slice(0, maxMessageSql).toWellFormed()}…`;
}

async function fileSource(path: string): Promise<ByteSource> {
  const { size: sizeBytes } = await stat(path);
  return {
    sizeBytes,
    async open(start, end) {
      const file = await openFile(path, 'r');
      let at = start;
      return {
        async fill(target) {
          const { bytesRead } = await file.read(target, 0, Math.min(target.length, end - at), at);
          at += bytesRead;
          return bytesRead;
        },
        close: () => file.close(),
      };
    },
  };
}
