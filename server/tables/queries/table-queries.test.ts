// Runs in a process of its own: it counts the child processes of its own process.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { killStarted } from '../../../tests/support/started-processes.ts';
import { DuckDBInstance } from '@duckdb/node-api';
import { isLongRun, sized } from '../../../tests/support/long-tests.ts';
import { attacks, excesses } from '../../../tests/support/sql-attacks.ts';
import {
  createTableQueries,
  QueriesBusy,
  QueryProblem,
  type QueriedTable,
  type ResultRows,
  type TableQueries,
} from './index.ts';

type Bench = {
  directory: string;
  queries: TableQueries;
  tables: QueriedTable[];
  run(sql: string, limit?: number): Promise<ResultRows>;
  /** Returns the problem with which a statement is refused. */
  refused(sql: string): Promise<QueryProblem>;
};

const asking = { owner: 'tester', signal: new AbortController().signal };
const endless = 'select count(*) from range(1000000) a(x), range(1000000) b(y) where (x * y) % 7 = 3';

async function open(t: TestContext, limits: { memoryBytes?: number; timeoutMs?: number } = {}): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-queries-'));
  const queries = createTableQueries({ directory: join(directory, 'scratch'), diskBytes: 64 << 20, ...limits });
  t.after(async () => {
    queries.close();
    await rm(directory, { recursive: true });
  });
  const path = join(directory, 'a.index');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (select range as c0, 'text ' || range as c1, '{"a":' || range || '}' as c2, range * 10 as start,
    case when range = 7 then 'broken' end as problem from range(100)) to '${path}' (format parquet)`);
  await connection.run(`copy (select 'outside' as secret) to '${join(directory, 'other.parquet')}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  await writeFile(join(directory, 'secret.csv'), 'secret\nhidden\n');
  const references = [
    { schema: 'files', name: 'data/a.jsonl' },
    { schema: '', name: 'a' },
  ];
  const columns = [
    { name: 'id', type: 'BIGINT' },
    { name: 'ID', type: 'VARCHAR' },
    { name: 'doc "x"', type: 'JSON' },
  ];
  const tables: QueriedTable[] = [{ references, path, columns, isIndex: true, hasProblemColumn: true }];
  const run = async (sql: string, limit = 100): Promise<ResultRows> => {
    await queries.parse(sql, asking);
    return queries.read({ sql, tables, offset: 0, limit, maxCellCharacters: 100 }, asking);
  };
  return {
    directory,
    queries,
    tables,
    run,
    async refused(sql) {
      const error: unknown = await run(sql).then(
        ({ rows }) => assert.fail(`${sql} was run: ${JSON.stringify(rows)}`),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof QueryProblem, `${sql}: ${String(error)}`);
      if (!sql.includes(directory)) assert.doesNotMatch(error.message, /tilth-queries|\/tmp/, sql);
      return error;
    },
  };
}

test('a statement reads the tables under the names that it uses', async (t) => {
  const { queries, run } = await open(t);
  const picked = `select id, "ID_2", "doc ""x"""->>'a' as a from files."data/a.jsonl" where id > 5;`;
  const { columns, rows, hasMore } = await run(picked, 2);
  assert.deepEqual(
    columns.map(({ name, type }) => `${name} ${type}`),
    ['id BIGINT', 'ID_2 VARCHAR', 'a VARCHAR'],
  );
  assert.deepEqual(rows, [
    [6, 'text 6', '6'],
    [8, 'text 8', '8'],
  ]);
  assert.ok(hasMore);
  for (const [sql, expected] of [
    ['select count(*) as n, sum(id) from a -- a comment', [[99, 4943]]],
    ['from a select max(id)', [[99]]],
    ['with b as (select id from a), c as (from b) select count(*) from c', [[99]]],
    ['with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select sum(n) from t', [[15]]],
    ['select count(*) from a where id in (select * from range(3)) /* ; */ ;', [[3]]],
    ['from (pivot a on id in (1, 2) using count(*)) select count(*)', [[99]]],
    ['pivot (select id % 3 as m, id from a) on m in (0, 1) using sum(id)', [[1683, 1610]]],
    ['from (select id % 3 as m, id from a) pivot (max(id) for m in (0, 1))', [[99, 97]]],
    [
      'unpivot (select id, id + 1 as next from a where id = 3) on id, next into name n value v',
      [
        ['id', 3],
        ['next', 4],
      ],
    ],
    [
      `select '高𠀀', 1.50::decimal(5, 2), null, [1, 2], {'a': 1}, 9007199254740993`,
      [['高𠀀', '1.50', null, [1, 2], { a: 1 }, '9007199254740993']],
    ],
    ['values (1), (2)', [[1], [2]]],
    [`select 'read_csv(''/etc/passwd'')'`, [[`read_csv('/etc/passwd')`]]],
  ] as const)
    assert.deepEqual((await run(sql)).rows, expected, sql);
  assert.deepEqual(
    (await run('describe a;')).rows.map(([name]) => name),
    ['id', 'ID_2', 'doc "x"'],
  );
  assert.equal((await run('summarize a')).rows.length, 3);
  const cut = await run(`select repeat('é', 500) as long, 1`);
  assert.deepEqual([cut.rows, cut.cut], [[['é'.repeat(100), 1]], [[0, 0]]]);
  const names = 'select 1 from b.c, (with x as (select 1) from x), "d""e" where (select 1 from f) = 1';
  const references = await queries.parse(names, asking);
  assert.deepEqual(new Set(references.map(({ schema, name }) => `${schema}|${name}`)), new Set(['b|c', '|d"e', '|f']));
});

test('an error says where it is', async (t) => {
  const { refused } = await open(t);
  for (const [sql, message, line, column] of [
    ['selec 1', /unexpected "selec"/, 1, 1],
    [`select '高高𠀀',\n  'é', foo from a`, /"foo" not found/, 2, 8],
    ['select\n\n lengthh("ID_2") from a', /lengthh does not exist/, 3, 2],
    [`select *\nfrom a, glob('*')`, /glob\(…\) can not be used/, 2, 9],
    ['pivot a on id using count(*)', /^a PIVOT in a query names its values/],
    ['from (pivot a on id in (select 1) using count(*))', /^a PIVOT in a query names its values/],
    ['explain select 1', /^only a SELECT/],
    [`select id from a where 'x`, /unterminated quoted string/, 1, 24],
    ['select\n cast("ID_2" as int) from a', /Could not convert string/, 2, 2],
    ['describe\n nothing', /nothing/, 2, 2],
  ] as const) {
    const problem = await refused(sql);
    assert.match(problem.message, message);
    assert.deepEqual(problem.place, line === undefined ? undefined : { line, column }, sql);
  }
});

test('no statement leaves the tables of its dataset', { timeout: 120_000 }, async (t) => {
  const { directory, refused, run } = await open(t);
  const before = await readdir(directory);
  for (const sql of attacks(directory)) await refused(sql);
  assert.deepEqual(await readdir(directory), before, 'nothing was written');
  assert.equal(await readFile(join(directory, 'secret.csv'), 'utf8'), 'secret\nhidden\n');
  assert.deepEqual((await run('select count(*) from a')).rows, [[99]], 'and the next query runs');
});

/** Repeats a statement as long as it is stopped. */
async function untilDone<Result>(run: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const result = await run().catch((error: unknown) => {
      if (!(error instanceof QueryProblem)) throw error;
    });
    if (result !== undefined) return result;
  }
}

test('a statement that needs too much memory, disk or time ends alone', { timeout: 180_000 }, async (t) => {
  const hasty = await open(t, { memoryBytes: 300 << 20, timeoutMs: sized(1_000, 3_000) });
  for (const sql of excesses.filter((_, at) => isLongRun || at % 5 === 0)) {
    // Each is refused or ends by itself; none may take longer or affect other statements.
    const start = Date.now();
    await hasty
      .run(sql)
      .catch((error: unknown) => assert.ok(error instanceof QueryProblem, `${sql}: ${String(error)}`));
    assert.ok(Date.now() - start < 60_000, `${sql} took ${Date.now() - start} ms`);
  }
  assert.match((await hasty.refused(endless)).message, new RegExp(`longer than ${sized(1, 3)} s`));
  const patient = await open(t, { memoryBytes: 300 << 20, timeoutMs: 120_000 });
  assert.match(
    (await patient.refused('select list(range) from range(1000000000)')).message,
    /more than 300 MiB of memory/,
  );
  for (const { directory, run } of [hasty, patient]) {
    // On a busy machine, even this may take longer than a hasty statement may.
    const counted = await untilDone(() => run('select count(*) from a'));
    assert.deepEqual(counted.rows, [[99]]);
    assert.deepEqual(await readdir(join(directory, 'scratch')), [], 'nothing is left of them');
  }
});

test('results are written in three formats, within a limit, and a stopped query ends at once', async (t) => {
  const { directory, queries, tables } = await open(t);
  const sql = 'select id, "ID_2" as text from a order by id limit 2 -- end';
  const write = (format: 'CSV' | 'JSONL' | 'PARQUET', text = sql): Promise<string> =>
    queries.write({ sql: text, tables, format }, asking, async ({ path }) => readFile(path, 'latin1'));
  assert.equal(await write('CSV'), 'id,text\n0,text 0\n1,text 1\n');
  assert.equal(await write('JSONL'), '{"id":0,"text":"text 0"}\n{"id":1,"text":"text 1"}\n');
  const odd = `select 'NaN'::double as f, ['-inf'::float, 1] as l, ': NaN,' as t union all select 1.5, [], 'x'`;
  assert.equal(await write('JSONL', odd), '{"f":"NaN","l":["-Infinity",1.0],"t":": NaN,"}\n{"f":1.5,"l":[],"t":"x"}\n');
  assert.match(await write('PARQUET'), /^PAR1/);
  const cells: [sql: string, csv: string][] = [
    ['select 1 as id union all select null union all select 3', 'id\n1\n""\n3\n'],
    [`select 'a' as t union all select '' union all select null`, 't\na\n""\n""\n'],
    ['select null::date as d', 'd\n""\n'],
    ['select null::int[] as l', 'l\n""\n'],
    ['select null as a, null as b', 'a,b\n,\n'],
    [`select ['a, b', 'c'] as l`, 'l\n"[""a, b"",""c""]"\n'],
    [
      `select [{'role': 'user', 'content': 'hi, there'}] as m, 1 as n`,
      'm,n\n"[{""role"":""user"",""content"":""hi, there""}]",1\n',
    ],
    [`select {'a': null, 'b': [1, null]} as s`, 's\n"{""a"":null,""b"":[1,null]}"\n'],
    [`select map {'k': 1} as m, 'x' as t`, 'm,t\n"[{""key"":""k"",""value"":1}]",x\n'],
    [`select [1.5::double, 'nan'::double] as l`, 'l\n"[1.5,""NaN""]"\n'],
    [`select ['say "x"'] as l, '["no list"]' as t`, 'l,t\n"[""say \\""x\\""""]","[""no list""]"\n'],
    [`select [date '2024-02-29'] as l, date '2024-02-29' as d`, 'l,d\n"[""2024-02-29""]",2024-02-29\n'],
  ];
  for (const [statement, csv] of cells) assert.equal(await write('CSV', statement), csv, statement);
  await assert.rejects(write('CSV', 'select uuid() from range(100000000)'), /more than 64 MiB of disk/);
  const stop = new AbortController();
  const long = queries.read(
    { sql: endless, tables: [], offset: 0, limit: 1, maxCellCharacters: 100 },
    { owner: 'tester', signal: stop.signal },
  );
  setTimeout(() => stop.abort(new Error('stopped')), 200);
  await assert.rejects(long, /stopped/);
  assert.deepEqual(await readdir(join(directory, 'scratch')), []);
});

test('many statements at once wait their turn, in few processes', async (t) => {
  const { run } = await open(t);
  let most = 0;
  const count = setInterval(() => {
    most = Math.max(most, childrenOf(process.pid));
  }, 20);
  try {
    const numbers = Array.from({ length: 24 }, (_, number) => number);
    const results = await Promise.all(numbers.map((number) => run(`select ${number}`)));
    assert.deepEqual(
      results.map(({ rows }) => rows),
      numbers.map((number) => [[number]]),
    );
  } finally {
    clearInterval(count);
  }
  assert.ok(most > 0 && most <= 3, `${most} processes`);
});

/** Number of child processes of a process, on Linux. */
function childrenOf(pid: number): number {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
}

test('results that are taken slowly hold up no other query, and a person has two of them at most', async (t) => {
  const { queries, run } = await open(t);
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  let made = 0;
  const write = (): Promise<void> =>
    queries.write({ sql: 'select 1', tables: [], format: 'CSV' }, asking, async () => {
      made += 1;
      if (made === 2) enough();
      await taken;
    });
  const { promise: two, resolve: enough } = Promise.withResolvers<void>();
  const writes = [write(), write(), write()];
  await two;
  assert.deepEqual((await run('select 2')).rows, [[2]], 'of the same person');
  assert.equal(made, 2);
  take();
  await Promise.all(writes);
  assert.equal(made, 3);
});

test('a process that is ended from outside is no fault of the statement', async (t) => {
  const { queries, run } = await open(t);
  await run('select 1');
  const query = { sql: endless, tables: [], offset: 0, limit: 1, maxCellCharacters: 100 };
  const interrupted = assert.rejects(queries.read(query, asking), QueriesBusy);
  setTimeout(() => {
    killStarted('query-process');
  }, 200);
  await interrupted;
  assert.deepEqual((await run('select 1')).rows, [[1]]);
});
