// Copies rows of a service's database into the same tables and indexes and does nothing else: the cost of SQLite
// itself. Forked by `running-sql-floor.ts`: `{ dataset, tables }` copies the rows of that dataset; the reply is the
// seconds it took.
import { resourceUsage } from 'node:process';
import BetterSqlite3 from 'better-sqlite3';

export type FloorRequest = { dataset: string; groupFiles: number; withUpload: boolean };
export type FloorAnswer = { rows: number; wallSeconds: number; cpuSeconds: number };

const [sourceFile = '', targetFile = ''] = process.argv.slice(2);
const source = new BetterSqlite3(sourceFile, { readonly: true });
const target = new BetterSqlite3(targetFile);
for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -16384']) target.pragma(setting);
for (const { sql } of source
  .prepare<[], { sql: string }>(
    `select sql from sqlite_master where tbl_name in ('files', 'blobs', 'upload_files') and sql is not null`,
  )
  .all())
  target.exec(sql);

process.on('message', ({ dataset, groupFiles, withUpload }: FloorRequest) => {
  const files = rowsOf('select * from files where dataset_id = ? order by row_id', dataset);
  const blobs = rowsOf(
    'select blobs.* from files join blobs on blobs.id = files.blob_id where dataset_id = ? order by row_id',
    dataset,
  );
  const uploaded = withUpload
    ? rowsOf(
        'select upload_files.* from files join upload_files on upload_files.file_id = files.file_id where dataset_id = ? order by row_id',
        dataset,
      )
    : [];
  const inserts = [insertInto('files', files), insertInto('blobs', blobs), insertInto('upload_files', uploaded)];
  const cpuBefore = cpuSeconds();
  const begun = performance.now();
  for (let at = 0; at < files.length; at += groupFiles) {
    target.exec('begin immediate');
    for (const { statement, rows } of inserts) for (const row of rows.slice(at, at + groupFiles)) statement.run(...row);
    target.exec('commit');
  }
  const answer: FloorAnswer = {
    rows: files.length,
    wallSeconds: (performance.now() - begun) / 1000,
    cpuSeconds: cpuSeconds() - cpuBefore,
  };
  process.send?.(answer);
});

function rowsOf(sql: string, dataset: string): unknown[][] {
  return source.prepare(sql).raw().all(dataset) as unknown[][];
}

function insertInto(table: string, rows: unknown[][]) {
  const columns = target.pragma(`table_info(${table})`) as unknown[];
  return { rows, statement: target.prepare(`insert into ${table} values (${columns.map(() => '?').join(', ')})`) };
}

function cpuSeconds(): number {
  const { userCPUTime, systemCPUTime } = resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6;
}
