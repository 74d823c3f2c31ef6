// Viewing a JSONL file: time to its first page, building its index against DuckDB doing the same conversion, then pages, filters, searches,
// sorts and column statistics against DuckDB on the same Parquet; building the index of a CSV file; and a Parquet file of 1,000,000 rows.
// `TILTH_BENCH_TABLE_MIB` sets the size of the JSONL file (256; 5120 for 5 GB), which repeats the corpus, and `TILTH_BENCH_TABLE_CSV_MIB`
// that of the CSV file (the same by default); `TILTH_BENCH_TABLE_ONLY` (jsonl, csv or parquet) selects one. DuckDB has as many threads as
// the service and most of the memory; both have the low priority with which indexes are built.
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, constants, loadavg, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  createTableViews,
  type IndexedTable,
  type RowChoice,
  type TableViews,
  type ViewSource,
} from '../server/tables/views/index.ts';
import { indexFormat } from '../server/tables/views/index-format.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { readTreeCpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf, pairCount, secondsPerGib, type Side } from './pairs.ts';

const mebibytes = Number(process.env['TILTH_BENCH_TABLE_MIB'] ?? 256);
const baseBytes = Math.min(mebibytes, 64) * 2 ** 20;
/** CPU time of this process, in which DuckDB works, and of the view processes. */
const readCpu: NonNullable<Side['cpu']>['read'] = () => readTreeCpuTimes(process.pid);

const all: RowChoice = { where: [], search: '', sort: null, isUnreadable: false };

/** Words of the corpus: frequent, rare, and absent. */
const searches = [
  ['copyright holder', 'what many rows have'],
  ['quadmath', 'what few rows have'],
  ['xyzzy-nowhere', 'what no row has'],
] as const;

type Ask = (sql: string) => Promise<unknown[][]>;

printMachine();
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const directory = mkdtempSync(join(tmpdir(), 'tilth-bench-'));
const views = createTableViews({ directory: join(directory, 'views') });
const instance = await DuckDBInstance.create(join(directory, 'peer.db'), {
  threads: String(Math.min(4, availableParallelism())),
});
const duckdb = await instance.connect();
const ask: Ask = async (sql) => (await duckdb.runAndReadAll(sql)).getRows();
try {
  const base = join(directory, 'base.jsonl');
  writeCorpus(base, { documents: 1, sizeBytes: baseBytes });
  if (isWanted('jsonl')) await measureLines(base);
  if (isWanted('csv')) await measureCsv(base);
  if (isWanted('parquet')) await measureParquet();
} finally {
  views.close();
  duckdb.closeSync();
  instance.closeSync();
  rmSync(directory, { recursive: true });
}

function isWanted(part: string): boolean {
  const only = process.env['TILTH_BENCH_TABLE_ONLY'];
  return only === undefined || only === part;
}

async function measureLines(base: string): Promise<void> {
  const path = join(directory, 'corpus.jsonl');
  repeat(base, path, mebibytes * 2 ** 20);
  const sizeBytes = statSync(path).size;
  const source: ViewSource = { path, offset: 0, sizeBytes, format: 'jsonl' };
  console.log(`${(sizeBytes / 2 ** 20).toFixed(0)} MiB of JSON Lines`);
  const firsts: number[] = [];
  for (let round = 0; round <= pairCount; round++)
    firsts.push(await timed(() => views.readDirectly({ source, offset: 0, limit: 100, maxCellCharacters: 10_000 })));
  // The first one includes starting the process.
  console.log(`first page: ${firsts[0]?.toFixed(0)} ms, then ${medianOf(firsts.slice(1)).toFixed(0)} ms`);

  const indexPath = join(directory, 'views', 'corpus.index');
  const converted = join(directory, 'converted.parquet');
  const building = rateSide('Tilth', sizeBytes, () => views.buildIndex({ source, indexPath }));
  const converting = (format: string): Side =>
    rateSide('DuckDB', sizeBytes, () =>
      ask(`copy (select * from read_json('${path}', format = 'newline_delimited')) to '${converted}' ${format}`),
    );
  await comparePairs('building the index (at least 0.8)', building, converting('(format parquet, compression zstd)'));
  // DuckDB writes a text once per row group, even if it occurs there several times.
  const rows = (await views.buildIndex({ source, indexPath })).rows;
  await comparePairs('the same in groups of one size', building, converting(indexFormat(sizeBytes, rows)));
  const facts = await views.buildIndex({ source, indexPath });
  const shareOf = (file: string): string => `${((100 * statSync(file).size) / sizeBytes).toFixed(0)} % of the file`;
  console.log(
    `${facts.rows.toLocaleString('en')} rows; the index takes ${shareOf(indexPath)}, DuckDB's Parquet ${shareOf(converted)}; load ${loadOf()}`,
  );
  const searchPath = `${indexPath}.grams`;
  const plain: IndexedTable = { source, indexPath, searchPath: null, facts };
  const buildMs = await timed(() => views.buildSearchIndex({ table: plain, searchPath }));
  console.log(
    `index for searches: ${rateOf(sizeBytes, buildMs).toFixed(0)} MiB/s, ${shareOf(searchPath)}, load ${loadOf()}`,
  );
  const table: IndexedTable = { ...plain, searchPath };
  for (const [search, name] of searches) await showSearch(name, search);

  /** Prints the first page of a search with and without the index, and the number of rows it finds. */
  async function showSearch(name: string, search: string): Promise<void> {
    const figures: string[] = [];
    for (const searched of [table, plain]) {
      const request = { ...all, search, listed: null, offset: 0, limit: 100, maxCellCharacters: 10_000 };
      let total: number | null = null;
      const pageMs = await timed(async () => {
        total = (await views.readRows({ table: searched, ...request, countMs: 0 })).total;
      });
      const listPath = `${indexPath}.list`;
      const listMs = await timed(async () => {
        total ??= await views.listRows({ table: searched, ...request, listPath });
      });
      figures.push(
        `page ${pageMs.toFixed(0)} ms, then ${listMs.toFixed(0)} ms for all ${Number(total).toLocaleString('en')} rows`,
      );
    }
    console.log(`search for ${name}: with the index ${figures.join('; without ')}, load ${loadOf()}`);
  }

  const names = facts.columns.map((_, place) => `c${place}`);
  const columnOf = (name: string): string => `c${facts.columns.findIndex((column) => column.name === name)}`;
  await compareAnswers(views, {
    table,
    parquet: `read_parquet('${indexPath}')`,
    columns: names,
    filter: { name: 'text', column: columnOf('text'), part: 'warranty' },
    search: 'copyright holder',
    sort: { name: 'id', column: columnOf('id') },
  });
}

/** The rows of the corpus as a CSV file that our reader parses completely. */
async function measureCsv(base: string): Promise<void> {
  const [one, path] = [join(directory, 'base.csv'), join(directory, 'corpus.csv')];
  const rows = readFileSync(base, 'utf8').trimEnd().split('\n');
  const cell = (value: unknown): string => `"${String(value).replaceAll('"', '""')}"`;
  const cells = rows.map((row) =>
    Object.values(JSON.parse(row) as Record<string, unknown>)
      .map(cell)
      .join(','),
  );
  writeFileSync(one, `${cells.join('\n')}\n`);
  repeat(one, path, Number(process.env['TILTH_BENCH_TABLE_CSV_MIB'] ?? mebibytes) * 2 ** 20);
  const sizeBytes = statSync(path).size;
  console.log(`${(sizeBytes / 2 ** 20).toFixed(0)} MiB of CSV`);
  const source: ViewSource = { path, offset: 0, sizeBytes, format: 'csv' };
  await comparePairs(
    'building the index of a CSV file',
    rateSide('Tilth', sizeBytes, () => views.buildIndex({ source, indexPath: join(directory, 'views', 'csv.index') })),
    rateSide('DuckDB', sizeBytes, () =>
      ask(
        `copy (select * from read_csv('${path}')) to '${join(directory, 'csv.parquet')}' (format parquet, compression zstd)`,
      ),
    ),
  );
}

/** A file that needs no index. */
async function measureParquet(): Promise<void> {
  const path = join(directory, 'million.parquet');
  await ask(
    `copy (select range as id, 'name of ' || range as name, range % 97 as score, md5(range::varchar) || ' ' || md5((range * 7)::varchar) as text
     from range(1000000)) to '${path}' (format parquet, compression zstd)`,
  );
  const source: ViewSource = { path, offset: 0, sizeBytes: statSync(path).size, format: 'parquet' };
  console.log(`1,000,000 rows of Parquet, ${(source.sizeBytes / 2 ** 20).toFixed(0)} MiB`);
  const facts = await views.buildIndex({ source, indexPath: path });
  await compareAnswers(views, {
    table: { source, indexPath: path, searchPath: null, facts },
    parquet: `read_parquet('${path}')`,
    columns: ['id', 'name', 'score', 'text'],
    filter: { name: 'text', column: 'text', part: 'abcd' },
    search: 'abcde',
    sort: { name: 'id', column: 'id' },
  });
}

type Asked = {
  table: IndexedTable;
  parquet: string;
  columns: readonly string[];
  filter: { name: string; column: string; part: string };
  search: string;
  sort: { name: string; column: string };
};

/** Pages, searches and column statistics of a table against DuckDB on the same Parquet. */
async function compareAnswers(
  asked: TableViews,
  { table, parquet, columns, filter, search, sort }: Asked,
): Promise<void> {
  const middle = Math.floor(table.facts.rows / 2);
  const searched = columns.map((column) => `contains(lower(cast(${column} as varchar)), '${search}')`).join(' or ');
  const rows =
    (choice: Partial<RowChoice>, offset = 0) =>
    () =>
      asked.readRows({
        table,
        listed: null,
        countMs: 600_000,
        offset,
        limit: 100,
        maxCellCharacters: 10_000,
        ...all,
        ...choice,
      });
  const found = `where contains(${filter.column}, '${filter.part}')`;
  const cases: readonly [name: string, ours: () => Promise<unknown>, theirs: readonly string[]][] = [
    ['a page in the middle', rows({}, middle), [`select * from ${parquet} limit 100 offset ${middle}`]],
    [
      'a filtered page with its total',
      rows({ where: [{ field: filter.name, op: 'CONTAINS', value: filter.part }] }),
      [`select count(*) from ${parquet} ${found}`, `select * from ${parquet} ${found} limit 100`],
    ],
    [
      'a search in all columns with its total',
      rows({ search }),
      [`select count(*) from ${parquet} where ${searched}`, `select * from ${parquet} where ${searched} limit 100`],
    ],
    [
      'a sorted page',
      rows({ sort: { name: sort.name, isDescending: true } }),
      [`select * from ${parquet} order by ${sort.column} desc limit 100`],
    ],
    [
      'figures of all columns, repeated rows among them',
      () => asked.describeColumns({ table }),
      [
        `summarize select ${columns.join(', ')} from ${parquet}`,
        ...columns.flatMap((column) => [
          `select left(cast(${column} as varchar), 200), count(*) from ${parquet} group by 1 order by 2 desc limit 10`,
          `select histogram(length(cast(${column} as varchar)), [0, 100, 1000, 10000, 100000]) from ${parquet}`,
        ]),
        `select count(*) from (select distinct ${columns.join(', ')} from ${parquet})`,
      ],
    ],
  ];
  for (const [name, ours, theirs] of cases)
    await comparePairs(
      `${name} (at most 1.3; less is better; load ${loadOf()})`,
      timeSide('Tilth', ours),
      timeSide('DuckDB', async () => {
        for (const sql of theirs) await ask(sql);
      }),
    );
}

function rateSide(name: string, sizeBytes: number, work: () => Promise<unknown>): Side {
  return {
    name,
    unit: 'MiB/s',
    run: async () => rateOf(sizeBytes, await timed(work)),
    cpu: { read: readCpu, unit: secondsPerGib, amountOf: () => sizeBytes / 2 ** 30 },
  };
}

function timeSide(name: string, work: () => Promise<unknown>): Side {
  return {
    name,
    unit: 'ms',
    run: () => timed(work),
    cpu: { read: readCpu, unit: { name: 'ms', perSecond: 1000 }, amountOf: () => 1 },
  };
}

function rateOf(sizeBytes: number, ms: number): number {
  return sizeBytes / 2 ** 20 / (ms / 1000);
}

/** Repeats a file until the copy has this many bytes. */
function repeat(from: string, to: string, bytes: number): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')];
  const size = statSync(from).size;
  const block = Buffer.alloc(8 << 20);
  for (let written = 0; written < bytes; written += size)
    for (let at = 0; at < size;) {
      const read = readSync(source, block, 0, block.length, at);
      writeSync(target, block, 0, read);
      at += read;
    }
  closeSync(source);
  closeSync(target);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function loadOf(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
