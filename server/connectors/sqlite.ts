import type { Reason } from '../kernel/sentences/index.ts';
import { builtModule } from '../kernel/built-modules.ts';
import { sourceSentences } from './sentences.ts';
import { stat } from 'node:fs/promises';
import { Type } from 'typebox';
import { createSupervisedProcess, ProcessEnded, ProcessTimeout } from '../processes/supervised-process.ts';
import { allowedPath, findPathProblem } from './allowed-folders.ts';
import { defineConnector, SourceError, type Effects, type RowBatch } from './connector.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { sampleCellLength } from './sample.ts';
import {
  allRows,
  findSqlProblem,
  newRows,
  sqlFields,
  sqlRowSet,
  withColumns,
  type SqlPosition,
  type SqlRow,
  type SqlSource,
} from './sql-rows.ts';
import { innerQuery } from './sql-text.ts';
import type { SqliteAnswer, SqliteWork } from './sqlite-process.ts';

const sampleRows = 5;
/** Time limit for a query until its next row: one day. */
const answerMs = 86_400_000;

export const sqlite = defineConnector({
  type: 'sqlite',
  name: 'SQLite file',
  description:
    'Reads a table or query of a SQLite database on the machine that Tilth runs on. An administrator must allow its folder (TILTH_COLLECTION_ROOTS). Integers keep all digits; blobs become base64 in JSON Lines.',
  incremental: true,
  config: Type.Object({
    path: Type.String({ minLength: 1, maxLength: 4096, description: 'Absolute path of the database file' }),
    ...sqlFields,
  }),

  validate: (config, roots) => findPathProblem('path', config.path, roots) ?? findSqlProblem(config),

  async check(config, { roots, signal }) {
    const sample: Record<string, unknown>[] = [];
    const cut = { rows: sampleRows, cellLength: sampleCellLength + 1 };
    const work = { ...(await workOf(config, roots)), sample: cut };
    for await (const { rows } of pagesOf(work, signal))
      for (const [line] of rows) sample.push(parseExactly(line) as Record<string, unknown>);
    return {
      message: (sample.length === 0 ? sourceSentences.DATABASE_WITHOUT_ROWS : sourceSentences.ROWS_READABLE).reason({}),
      sample,
    };
  },

  async *read(config, effects) {
    const work = await workOf(config, effects.roots);
    yield sqlRowSet(config, { path: config.path }, (start) => readRows(work, effects, start));
  },
});

async function* readRows(
  work: SqliteWork,
  { signal, log }: Effects,
  start: SqlPosition | undefined,
): AsyncGenerator<RowBatch> {
  const from = start === undefined ? undefined : { value: start.value, isInclusive: start.seen !== null };
  const pages = pagesOf({ ...work, from }, signal);
  const first = await pages.next();
  if (first.done === true) return;
  const { columns, unordered, types } = first.value;
  const failed: FailedRows = [];
  const rows = rowsOf(prepended(first.value, pages), failed);
  if (work.column === undefined) return yield* withFailed(withColumns(allRows(rows), types), failed);
  if (unordered > 0 && start !== undefined)
    await log('WARN', sourceSentences.ROWS_WITHOUT_ORDER.reason({ count: unordered, column: work.column }));
  const warn = (message: Reason): Promise<void> => log('WARN', message);
  yield* withFailed(withColumns(newRows(rows, { start, columns, log: warn }), types), failed);
}

type FailedRows = NonNullable<RowBatch['failed']>[number][];

/** The batches with the rows that failed while they were read. */
async function* withFailed(batches: AsyncIterable<RowBatch>, failed: FailedRows): AsyncGenerator<RowBatch> {
  for await (const batch of batches) yield { ...batch, failed: failed.splice(0) };
}

async function workOf(config: SqlSource & { path: string }, roots: readonly string[]): Promise<SqliteWork> {
  const path = await allowedPath(config.path, roots);
  if (!(await stat(path)).isFile()) throw new SourceError(sourceSentences.PATH_NO_FILE.reason({ path: config.path }));
  const { table, query, incrementalColumn, format } = config;
  return {
    path,
    table,
    query: query === undefined ? undefined : innerQuery(query, 'sqlite'),
    column: incrementalColumn,
    isForParquet: format === 'PARQUET',
  };
}

/** Reads in a process: SQLite blocks its thread until it has a row, and only a kill ends a running query. */
async function* pagesOf(work: SqliteWork, signal: AbortSignal): AsyncGenerator<Page> {
  const { TMPDIR } = process.env;
  const reader = createSupervisedProcess<SqliteWork, SqliteAnswer>({
    module: builtModule(new URL('sqlite-process.ts', import.meta.url)),
    setup: {},
    // The service's settings are not passed on: they include its keys.
    env: TMPDIR === undefined ? {} : { TMPDIR },
  });
  try {
    for (;;) {
      const answer = await reader.ask(work, { signal, timeoutMs: answerMs });
      if ('problem' in answer) throw new SourceError(answer.problem);
      if ('rows' in answer) yield answer;
      else return;
    }
  } catch (error) {
    if (error instanceof ProcessEnded || error instanceof ProcessTimeout)
      throw new SourceError(sourceSentences.SQLITE_READER.reason({ said: error.message }), { cause: error });
    throw error;
  } finally {
    reader.end();
  }
}

type Page = Extract<SqliteAnswer, { rows: unknown }>;

async function* rowsOf(pages: AsyncIterable<Page>, failed: FailedRows): AsyncGenerator<readonly SqlRow[]> {
  for await (const { rows, damaged } of pages) {
    failed.push(
      ...damaged.map(({ row, column }) => ({
        name: `row ${row}`,
        reason: sourceSentences.CELL_NO_UTF8.reason({ column }),
      })),
    );
    yield rows;
  }
}

async function* prepended<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
