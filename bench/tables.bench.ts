// Looking into a JSONL file: time to its first page, the building of its index against DuckDB doing the same conversion, then pages, filters,
// searches, sorts and figures of columns against DuckDB on the same Parquet. `TILTH_BENCH_TABLE_MIB` sets the size of the file (256;
// 5120 for 5 GB), which repeats the corpus. DuckDB runs with its own defaults: all cores, and most of the memory.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { createTableViews, type IndexedTable, type RowChoice, type ViewSource } from '../server/tables/views/index.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf, pairCount } from './pairs.ts';

const mebibytes = Number(process.env['TILTH_BENCH_TABLE_MIB'] ?? 256);
const baseBytes = Math.min(mebibytes, 64) * 2 ** 20;

const all: RowChoice = { where: [], search: '', sort: null, isUnreadable: false };

/** Words of the corpus: in every part of it, in few rows, and in none. */
const searches = [
  ['copyright holder', 'what many rows have'],
  ['quadmath', 'what few rows have'],
  ['xyzzy-nowhere', 'what no row has'],
] as const;

printMachine();
const directory = mkdtempSync(join(tmpdir(), 'tilth-bench-'));
try {
  await measure();
} finally {
  rmSync(directory, { recursive: true });
}

async function measure(): Promise<void> {
  const path = join(directory, 'corpus.jsonl');
  writeCorpus(join(directory, 'base.jsonl'), { documents: 1, sizeBytes: baseBytes });
  repeat(join(directory, 'base.jsonl'), path, mebibytes * 2 ** 20);
  const sizeBytes = statSync(path).size;
  const views = createTableViews({ directory: join(directory, 'views') });
  const duckdb = await (await DuckDBInstance.create(join(directory, 'peer.db'))).connect();
  const ask = async (sql: string): Promise<unknown[][]> => (await duckdb.runAndReadAll(sql)).getRows();
  const source: ViewSource = { path, offset: 0, sizeBytes, format: 'jsonl' };
  console.log(`${(sizeBytes / 2 ** 20).toFixed(0)} MiB of JSON Lines`);
  try {
    const firsts: number[] = [];
    for (let round = 0; round <= pairCount; round++)
      firsts.push(await timed(() => views.readDirectly({ source, offset: 0, limit: 100, maxCellCharacters: 10_000 })));
    // The first one starts the process.
    console.log(`first page: ${firsts[0]?.toFixed(0)} ms, then ${medianOf(firsts.slice(1)).toFixed(0)} ms`);

    const indexPath = join(directory, 'views', 'corpus.index');
    const converted = join(directory, 'converted.parquet');
    const mibPerSecond = (ms: number): number => sizeBytes / 2 ** 20 / (ms / 1000);
    await comparePairs(
      'building the index (at least 0.8)',
      {
        name: 'Tilth',
        unit: 'MiB/s',
        run: async () => mibPerSecond(await timed(() => views.buildIndex({ source, indexPath }))),
      },
      {
        name: 'DuckDB',
        unit: 'MiB/s',
        run: async () =>
          mibPerSecond(
            await timed(() =>
              ask(
                `copy (select * from read_json('${path}', format = 'newline_delimited', maximum_object_size = 67108864)) to '${converted}' (format parquet, compression zstd)`,
              ),
            ),
          ),
      },
    );
    const facts = await views.buildIndex({ source, indexPath });
    const { size } = statSync(indexPath);
    console.log(
      `${facts.rows.toLocaleString('en')} rows; the index takes ${((100 * size) / sizeBytes).toFixed(0)} % of the file`,
    );
    const searchPath = `${indexPath}.grams`;
    const plain: IndexedTable = { source, indexPath, searchPath: null, facts };
    const buildMs = await timed(() => views.buildSearchIndex({ table: plain, searchPath }));
    console.log(
      `index for searches: ${mibPerSecond(buildMs).toFixed(0)} MiB/s, ${((100 * statSync(searchPath).size) / sizeBytes).toFixed(0)} % of the file, load ${loadOf()}`,
    );
    const table: IndexedTable = { ...plain, searchPath };
    for (const [search, name] of searches) await showSearch(name, search);

    /** The first page of a search with and without the index, and the number of rows that it finds. */
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

    const columnOf = (name: string): string => `c${facts.columns.findIndex((column) => column.name === name)}`;
    const [id, text] = [columnOf('id'), columnOf('text')];
    const parquet = `read_parquet('${indexPath}')`;
    const middle = Math.floor(facts.rows / 2);
    const searched = facts.columns
      .map((_, place) => `contains(lower(cast(c${place} as varchar)), 'copyright holder')`)
      .join(' or ');
    const rows =
      (choice: Partial<RowChoice>, offset = 0) =>
      () =>
        views.readRows({
          table,
          listed: null,
          countMs: 60_000,
          offset,
          limit: 100,
          maxCellCharacters: 10_000,
          ...all,
          ...choice,
        });
    const filter = { field: 'text', op: 'CONTAINS', value: 'warranty' } as const;
    const found = `where contains(${text}, 'warranty')`;
    const cases: readonly [name: string, ours: () => Promise<unknown>, theirs: readonly string[]][] = [
      ['a page in the middle', rows({}, middle), [`select * from ${parquet} limit 100 offset ${middle}`]],
      [
        'a filtered page with its total',
        rows({ where: [filter] }),
        [`select count(*) from ${parquet} ${found}`, `select * from ${parquet} ${found} limit 100`],
      ],
      [
        'a search in all columns with its total',
        rows({ search: 'Copyright Holder' }),
        [`select count(*) from ${parquet} where ${searched}`, `select * from ${parquet} where ${searched} limit 100`],
      ],
      [
        'a sorted page',
        rows({ sort: { name: 'id', isDescending: true } }),
        [`select * from ${parquet} order by ${id} desc limit 100`],
      ],
      [
        'figures of all columns, repeated rows among them',
        () => views.describeColumns({ table }),
        [
          `summarize select ${facts.columns.map((_, place) => `c${place}`).join(', ')} from ${parquet}`,
          ...facts.columns.flatMap((_, place) => [
            `select left(cast(c${place} as varchar), 200), count(*) from ${parquet} group by 1 order by 2 desc limit 10`,
            `select histogram(length(cast(c${place} as varchar)), [0, 100, 1000, 10000, 100000]) from ${parquet}`,
          ]),
          `select count(*) from (select distinct ${facts.columns.map((_, place) => `c${place}`).join(', ')} from ${parquet})`,
        ],
      ],
    ];
    for (const [name, ours, theirs] of cases)
      await comparePairs(
        `${name} (at most 1.3; less is better)`,
        { name: 'Tilth', unit: 'ms', run: () => timed(ours) },
        {
          name: 'DuckDB',
          unit: 'ms',
          run: () =>
            timed(async () => {
              for (const sql of theirs) await ask(sql);
            }),
        },
      );
  } finally {
    views.close();
    duckdb.closeSync();
  }
}

/** Writes a file again and again until it has so many bytes. */
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
