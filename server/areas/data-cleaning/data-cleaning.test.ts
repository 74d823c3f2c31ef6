import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { builtInOperators, sharedThreads } from '../../../tests/support/engine-threads.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { createEngine, type Engine } from '../../engine/index.ts';
import { createRuns, type Run, type Runs } from '../../runs/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/file-path.ts';
import { openBlobStore } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { createTaskFloor } from '../../tasks/index.ts';
import { createCatalogue } from '../operator-market/index.ts';
import { operators } from '../../operators/index.ts';
import { openModels } from '../../../tests/support/models.ts';
import { createDatasetContents, type DatasetContents } from '../data-management/index.ts';
import { createDataCleaning, type DataCleaning } from './index.ts';
import type { NewTask } from './schemas/tasks.ts';

type Bench = DataCleaning & {
  runs: TaskRuns;
  db: Database;
  engine: Engine;
  /** The runs of all areas. */
  allRuns: Runs;
  data: DatasetContents;
  /** Creates a dataset with files. */
  dataset(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  put(datasetId: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Path → content of a dataset's current version. */
  contents(datasetId: string | null): Promise<Record<string, string>>;
  ended(run: Run): Promise<Run>;
};

/** The runs of a task, as the tests call them. */
type TaskRuns = Pick<DataCleaning['tasks'], 'execute' | 'stop'> & {
  get: DataCleaning['tasks']['getRun'];
  list: DataCleaning['tasks']['listRuns'];
  logs: DataCleaning['tasks']['listLogs'];
};

const logger = { error: () => {}, warn: () => {}, info: () => {} };
const by = 'erin';
const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 2 } }];

async function open(t: TestContext, db: Database): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-cleaning-'));
  const blobs = await openBlobStore({ directory, db });
  const scratchDirectory = join(directory, 'scratch');
  const runs = createRuns({ db, clock: systemClock, logger });
  const engine = createEngine({
    db,
    blobs,
    runs,
    workers: 1,
    threads: sharedThreads(builtInOperators),
    shardBytes: 2000,
    scratchDirectory,
  });
  const data = createDatasetContents({
    db,
    blobs,
    clock: systemClock,
    engine,
    runs,
    viewIndexes: { directory: join(directory, 'views'), maxBytes: 1 << 30 },
    logger,
  });
  const floor = createTaskFloor({ db, clock: systemClock, logger, runs });
  const { models } = await openModels(t, db);
  const cleaning = createDataCleaning({
    db,
    clock: systemClock,
    engine,
    models,
    runs,
    tasks: floor,
    datasets: data.access,
    catalogue: createCatalogue({ db, operators }),
  });
  const { execute, stop, getRun: get, listRuns: list, listLogs: logs } = cleaning.tasks;
  t.after(async () => {
    await runs.stop();
    await engine.stop();
    await blobs.close();
    await rm(directory, { recursive: true });
  });

  async function put(datasetId: string, files: Readonly<Record<string, string>>): Promise<void> {
    const staged = await Promise.all(
      Object.entries(files).map(async ([path, content]) => {
        const writer = blobs.create();
        await writer.write(Buffer.from(content));
        return { path, blob: await writer.finish() };
      }),
    );
    await blobs.flush();
    await db.write(async (tx) => {
      await blobs.adopt(
        tx,
        staged.map(({ blob }) => blob),
      );
      await data.commits.add(tx, {
        datasetId,
        by,
        onConflict: 'REPLACE',
        files: staged.map(({ path, blob }) => ({
          path,
          originalName: fileNameOf(path),
          sizeBytes: blob.sizeBytes,
          status: 'COMPLETED',
          blobId: blob.id,
        })),
      });
    });
    await blobs.settle(staged.map(({ blob }) => blob));
  }

  return {
    ...cleaning,
    runs: { execute, stop, get, list, logs },
    db,
    engine,
    allRuns: runs,
    data,
    put,
    async dataset(name, files) {
      const { id } = await data.datasets.create({ name, type: 'TEXT' }, by);
      if (Object.keys(files).length > 0) await put(id, files);
      return id;
    },
    async contents(datasetId) {
      const contents: Record<string, string> = {};
      const { version } = await data.datasets.get(datasetId ?? '');
      for await (const files of data.files.walk({ datasetId: datasetId ?? '', version })) {
        for (const { path, blob_id } of files) {
          contents[path] = '';
          for await (const { bytes } of blobs.readAll([blob_id ?? ''])) contents[path] += Buffer.from(bytes).toString();
        }
      }
      return contents;
    },
    ended(run) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          get(run.taskId, run.id).then((seen) => {
            if (seen.status === 'QUEUED' || seen.status === 'RUNNING') return;
            forget();
            resolve(seen);
          }, reject);
        };
        const forget = runs.onChange(run.id, look);
        look();
      });
    },
  };
}

function fails(code: string, mentions = ''): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(mentions), error.message);
    return true;
  };
}

forAnyDatabase('a task cleans a dataset into a new one of its own, as one version', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', {
    'a.txt': 'a  b',
    'b.txt': 'x',
    'c/r.jsonl': '{"text":"c  d"}\n{"text":""}\n',
  });
  const task = await bench.tasks.create({ name: ' Clean ', sourceDatasetId: source, steps }, by);
  assert.equal(task.name, 'Clean');
  assert.equal(task.status, 'PENDING');
  assert.equal(task.targetDatasetName, 'Raw (cleaned)');
  assert.equal(task.targetDatasetId, null);
  assert.deepEqual(task.steps, [
    { operatorId: 'whitespace-normalizer', version: '2.0.0', params: { maxBlankLines: 1, keepIndentation: true } },
    { operatorId: 'text-length-filter', version: '1.1.0', params: { min: 2, max: 1_000_000_000, unit: 'CHARACTERS' } },
  ]);
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 4, kept: 2, changed: 2, dropped: 2, failed: 0, emitted: 2 });
  const done = await bench.tasks.get(task.id);
  assert.deepEqual([done.status, done.progress, done.lastRunId, done.counts], ['COMPLETED', 100, run.id, run.counts]);
  assert.deepEqual(await bench.contents(done.targetDatasetId), { 'a.txt': 'a b', 'c/r.jsonl': '{"text":"c d"}\n' });
  const target = await bench.data.datasets.get(done.targetDatasetId ?? '');
  assert.deepEqual([target.name, target.type.code, target.version], ['Raw (cleaned)', 'TEXT', 2]);
});

forAnyDatabase('another run replaces what the one before it wrote, and reads what is new', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'aa', 'b.txt': 'bb' });
  const task = await bench.tasks.create({ name: 'Clean', sourceDatasetId: source, steps }, by);
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  // Saving a task with the target it shows keeps the task the owner of the target.
  const shown = await bench.tasks.get(task.id);
  await bench.tasks.update(task.id, { targetDatasetId: shown.targetDatasetId ?? '' }, by);
  await bench.put(source, { 'b.txt': 'x', 'c.txt': 'cc' });
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'a.txt': 'aa', 'c.txt': 'cc' });
  const made = await bench.db.read
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', targetDatasetId)
    .orderBy('version')
    .execute();
  assert.deepEqual(
    made.map((row) => [row.message, row.file_count, row.files_added, row.files_ended]),
    [
      [null, 0, 0, 0],
      ['Cleaned by Clean', 2, 2, 0],
      ['Cleaned by Clean', 2, 2, 2],
    ],
    'each run makes one version',
  );
  const { totalElements, content } = await bench.runs.list(task.id, { page: 0, size: 10 });
  assert.equal(totalElements, 2);
  assert.equal(content[0]?.id, run.id, 'the newest run comes first');
  const oldestFirst = await bench.runs.list(task.id, { page: 0, size: 1, sort: 'createdAt,asc' });
  assert.equal(oldestFirst.content[0]?.id, content[1]?.id);

  await bench.data.datasets.remove(targetDatasetId ?? '', by);
  const again = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(again.status, 'COMPLETED', again.error ?? '');
  const anew = await bench.tasks.get(task.id);
  assert.notEqual(anew.targetDatasetId, targetDatasetId);
  assert.deepEqual(await bench.contents(anew.targetDatasetId), { 'a.txt': 'aa', 'c.txt': 'cc' });
});

forAnyDatabase('a named target keeps what else it holds', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  a', 'sub/b.md': 'b  b', 'sub/c.txt': 'c  c' });
  const target = await bench.dataset('Mine', { 'a.txt': 'old', 'keep.txt': 'kept' });
  const task = await bench.tasks.create({ name: 'Into', sourceDatasetId: source, targetDatasetId: target, steps }, by);
  assert.equal(task.targetDatasetName, 'Mine');
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  const expected = { 'a.txt': 'a a', 'keep.txt': 'kept', 'sub/b.md': 'b b', 'sub/c.txt': 'c c' };
  assert.deepEqual(await bench.contents(target), expected);

  const part = { name: 'Part', sourceDatasetId: source, steps, input: { prefix: 'sub/', fileTypes: ['.MD'] } };
  const partTask = await bench.tasks.create(part, by);
  assert.deepEqual(partTask.input, {
    prefix: 'sub',
    fileTypes: ['md'],
    exclude: [],
    textField: null,
    textFields: [],
    where: [],
    encoding: null,
  });
  await bench.ended(await bench.runs.execute(partTask.id, {}, by));
  const { targetDatasetId } = await bench.tasks.get(partTask.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'sub/b.md': 'b b' });
});

forAnyDatabase('a source version is read as it was', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'old  a', 'b.txt': 'b  b' });
  await bench.put(source, { 'a.txt': 'new  a', 'c.txt': 'c  c' });
  const task = await bench.tasks.create({ name: 'Old', sourceDatasetId: source, sourceVersion: 2, steps }, by);
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'a.txt': 'old a', 'b.txt': 'b b' });
});

forAnyDatabase('a task as the first release stored it is shown, changed and run', async (t, openDb) => {
  const db = await openDb();
  const bench = await open(t, db);
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b' });
  const { id } = await bench.tasks.create({ name: 'Old', sourceDatasetId: source, steps }, by);
  const { definition } = await bench.tasks.find(id);
  const { output: _output, ...others } = definition;
  const first = { ...others, input: { prefix: '', fileTypes: [], textField: null } };
  await db.write((tx) =>
    tx
      .updateTable('tasks')
      .set({ definition: JSON.stringify(first) })
      .execute(),
  );

  const shown = await bench.tasks.get(id);
  assert.deepEqual([shown.input, shown.output], [definition.input, definition.output]);
  const [listed] = (await bench.tasks.list({ page: 0, size: 10 })).content;
  assert.deepEqual(listed?.input, definition.input);
  assert.equal((await bench.ended(await bench.runs.execute(id, {}, by))).status, 'COMPLETED');
  const changed = await bench.tasks.update(id, { name: 'New' }, by);
  assert.deepEqual([changed.input, changed.output], [definition.input, definition.output]);
});

forAnyDatabase('a task writes its result in a format of choice', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b', 'c/r.jsonl': '{"text":"c  d"}\n{"text":""}\n' });
  const other = await bench.dataset('Other', {});
  const given = { name: 'Clean', sourceDatasetId: source, steps };
  const plain = await bench.tasks.create({ ...given, name: 'Plain' }, by);
  assert.deepEqual(plain.output, { format: 'SOURCE', shardBytes: null, folderBy: null });
  const output = { format: 'JSONL' as const };
  const task = await bench.tasks.create({ ...given, output }, by);
  assert.deepEqual(task.output, { format: 'JSONL', shardBytes: 256 << 20, folderBy: null });
  for (const expected of [{ 'a.txt': 'a b' }, { 'a.txt': 'e f' }]) {
    const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const { targetDatasetId } = await bench.tasks.get(task.id);
    assert.deepEqual(await bench.contents(targetDatasetId), {
      'data/train-00000-of-00001.jsonl': `{"text":"${expected['a.txt']}","path":"a.txt"}\n{"text":"c d"}\n`,
    });
    await bench.put(source, { 'a.txt': 'e  f' });
  }
  const renamed = await bench.tasks.update(task.id, { name: 'Renamed' }, by);
  assert.deepEqual(renamed.output, task.output);
  for (const [change, mentions] of [
    [{ output: { format: 'SOURCE' as const, shardBytes: 1 << 20 } }, 'output.shardBytes'],
    [{ output: { format: 'SOURCE' as const, folderBy: 'split' } }, 'output.folderBy'],
    [{ output, targetDatasetId: other }, 'output.format requires a dataset created by the task'],
  ] as const) {
    await assert.rejects(bench.tasks.create({ ...given, name: 'Bad', ...change }, by), (error: Error) =>
      error.message.includes(mentions),
    );
  }
});

forAnyDatabase('a step that writes a column is refused for documents that stay documents', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const rows = { 'r.jsonl': '{"text":"a","n":1}\n', 'packed.jsonl.gz': 'not looked at' };
  const tables = await bench.dataset('Tables', rows);
  const mixed = await bench.dataset('Mixed', { ...rows, 'notes/README.md': 'words' });
  const packed = await bench.dataset('Packed', { ...rows, 'z.txt.gz': 'not looked at' });
  const split = { operatorId: 'split-writer' };
  const mix = (column: string) => ({ operatorId: 'mix-selector', params: { column } });
  const create = (sourceDatasetId: string, change: Partial<NewTask>) =>
    bench.tasks.create({ name: 'Split', sourceDatasetId, steps: [...steps, split], ...change }, by);
  const refusal = (path: string, operatorId: string, column: string): string =>
    `output.format must be JSONL or PARQUET: step 3 (${operatorId}) writes the column ${column}, but ${path} is a document`;

  await assert.rejects(
    create(mixed, {}),
    fails('INVALID_PARAMETER', refusal('notes/README.md', 'split-writer', 'split')),
  );
  const named = { steps: [...steps, mix('from')] };
  await assert.rejects(create(packed, named), fails('INVALID_PARAMETER', refusal('z.txt.gz', 'mix-selector', 'from')));
  const more = { moreSources: [{ datasetId: mixed }] };
  await assert.rejects(create(tables, more), fails('INVALID_PARAMETER', 'Mixed/notes/README.md is a document'));
  for (const [source, change] of [
    [tables, {}],
    [mixed, { steps: [...steps, mix('')] }],
    [mixed, { output: { format: 'JSONL' } }],
    [mixed, { input: { exclude: ['notes/*'] } }],
    [mixed, { input: { fileTypes: ['jsonl'] } }],
    [mixed, { input: { where: [{ field: 'n', op: 'EXISTS' }] } }],
  ] satisfies [string, Partial<NewTask>][])
    assert.equal((await create(source, change)).sourceDatasetId, source, JSON.stringify(change));
});

forAnyDatabase('definitions that are refused', async (t, openDb) => {
  const splitInto = (column: string) => ({ operatorId: 'split-writer', params: { column } });
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"title":"a","body":"b"}\n' });
  const sheet = await bench.dataset('Sheet', { 'r.csv': 'id;title;body\n1;a;b\n', 's.tsv': 'n\ttext\n1\t2\n' });
  const good = { name: 'Task', sourceDatasetId: source, steps, input: { textField: 'body' } };
  const refused: readonly [change: Partial<NewTask>, code: string, mentions: string][] = [
    [{ name: '  ' }, 'INVALID_PARAMETER', 'name'],
    [{ name: 'n'.repeat(101) }, 'INVALID_PARAMETER', 'name'],
    [{ steps: [{ operatorId: 'nothing' }] }, 'INVALID_PARAMETER', 'steps[0].operatorId'],
    [{ steps: [{ operatorId: 'constructor' }] }, 'INVALID_PARAMETER', 'steps[0].operatorId'],
    [
      { steps: [splitInto('body')] },
      'INVALID_PARAMETER',
      'steps[0].params.column must be a different column: body holds',
    ],
    [
      { steps: [...steps, splitInto('text')], input: {} },
      'INVALID_PARAMETER',
      'params.column must be a different column',
    ],
    [
      { steps: [{ operatorId: 'text-length-filter', version: '2' }] },
      'INVALID_PARAMETER',
      'steps[0].version must be 1.1.0',
    ],
    [
      { steps: [...steps, { operatorId: 'text-length-filter', params: { min: -1 } }] },
      'INVALID_PARAMETER',
      'steps[2].params.min must be at least 0',
    ],
    [
      { steps: [{ operatorId: 'text-length-filter', params: { max: '9' } }] },
      'INVALID_PARAMETER',
      'steps[0].params.max must be an integer',
    ],
    [
      { steps: [{ operatorId: 'text-length-filter', params: { min: 3, max: 2 } }] },
      'INVALID_PARAMETER',
      'steps[0].params.min must not be greater',
    ],
    [{ input: {} }, 'INVALID_PARAMETER', 'input.textField is required: r.jsonl has the string columns body, title'],
    [{ sourceDatasetId: sheet, input: {} }, 'INVALID_PARAMETER', 'r.csv has the string columns body, title'],
    [{ input: { prefix: '../x', textField: 'body' } }, 'INVALID_PARAMETER', 'input.prefix'],
    [{ input: { textFields: [{ files: '*' }] } }, 'INVALID_PARAMETER', 'input.textFields[0].field is required'],
    [
      { input: { textFields: [{ files: '*', field: 'body', fields: ['body'] }] } },
      'INVALID_PARAMETER',
      'input.textFields[0].fields must not be given',
    ],
    [
      {
        input: {
          textFields: [
            { files: 'x', field: 'a' },
            { files: '*.jsonl', fields: ['body', 'doc.text'] },
          ],
        },
      },
      'INVALID_PARAMETER',
      'input.textFields[1].fields[1] selects no text in r.jsonl: in all of its first 1 rows "doc.text" is missing',
    ],
    [
      { input: { textFields: [{ files: 'x', field: 'a' }] } },
      'INVALID_PARAMETER',
      'input.textField is required: r.jsonl',
    ],
    [
      {
        input: {
          textField: 'body',
          where: [
            { field: 'n', op: 'EXISTS' },
            { field: 'n', op: 'IN', value: 1 },
          ],
        },
      },
      'INVALID_PARAMETER',
      'input.where[1].value must be a list',
    ],
    [{ input: { textField: 'body', where: [{ field: 'n', op: 'LT' }] } }, 'INVALID_PARAMETER', 'input.where[0].value'],
    [{ targetDatasetId: source }, 'INVALID_PARAMETER', 'targetDatasetId must not be the source'],
    [{ targetDatasetId: 'none', targetDatasetName: 'x' }, 'INVALID_PARAMETER', 'targetDatasetName'],
    [{ sourceDatasetId: 'none' }, 'SOURCE_NOT_FOUND', 'none'],
    [{ targetDatasetId: 'none' }, 'TARGET_NOT_FOUND', 'none'],
    [{ sourceVersion: 3 }, 'SOURCE_VERSION_NOT_FOUND', '3'],
  ];
  for (const [change, code, mentions] of refused) {
    await assert.rejects(bench.tasks.create({ ...good, ...change }, by), fails(code, mentions));
  }
  assert.equal((await bench.tasks.list({ page: 0, size: 1 })).totalElements, 0);
});

forAnyDatabase('unlike tables: each has its text column; one that has none', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const tables = { 'a.jsonl': '{"title":"A  a","text":"B  b"}\n', 'b.csv': 'id;body\n1;C  c\n' };
  const source = await bench.dataset('Tables', tables);
  const task = await bench.tasks.create({ name: 'Tables', sourceDatasetId: source, steps }, by);
  const preview = await bench.previews.preview({ sourceDatasetId: source, steps }, true);
  assert.deepEqual(
    preview.samples.map(({ filePath, texts }) => [filePath, texts[0]?.text]),
    [
      ['a.jsonl', 'B b'],
      ['b.csv', 'C c'],
    ],
  );
  // The column appears only after the task was created.
  await bench.put(source, { 'c.csv': 'title,body\nT  t,B  b\n' });
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 3, kept: 2, changed: 2, dropped: 0, failed: 1, emitted: 2 });
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 9 });
  assert.match(entries[0]?.reason ?? '', /^TEXT_COLUMN_UNKNOWN: c\.csv: .*it has body, title.*set input\.textField$/);
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), {
    'a.jsonl': '{"title":"A  a","text":"B b"}\n',
    'b.csv': 'id;body\n1;C c\n',
  });
  const refusal = fails('INVALID_PARAMETER', 'input.textField is required: c.csv has the string columns body, title');
  await assert.rejects(bench.tasks.update(task.id, { description: 'again' }, by), refusal);
  await assert.rejects(bench.previews.preview({ sourceDatasetId: source, steps }, true), refusal);
});

forAnyDatabase('tables need no column of texts for steps over columns alone', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const tables = {
    'a.csv': 'title,body\n T ,B\n',
    'b.csv': 'x,y\n1,2\n3,\n',
    'c.jsonl': '{"title":" t","n":[1]}\n',
    'd.json': '[{"n":1}]',
  };
  const source = await bench.dataset('Tables', tables);
  const columns = [
    { operatorId: 'column-trimmer', params: { columns: 'title', missing: 'KEEP' } },
    { operatorId: 'column-remover', params: { columns: 'y', missing: 'KEEP' } },
  ];
  const preview = await bench.previews.preview({ sourceDatasetId: source, steps: columns }, true);
  assert.deepEqual(
    preview.samples.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['CHANGED', null],
      ['CHANGED', null],
      ['CHANGED', null],
      ['CHANGED', null],
      ['KEPT', null],
    ],
  );
  const task = await bench.tasks.create({ name: 'Columns', sourceDatasetId: source, steps: columns }, by);
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 5, kept: 5, changed: 4, dropped: 0, failed: 0, emitted: 5 });
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), {
    'a.csv': 'title,body\nT,B\n',
    'b.csv': 'x\n1\n3\n',
    'c.jsonl': '{"title":"t","n":[1]}\n',
    'd.json': '[{"n":1}]',
  });
  const refusal = fails('INVALID_PARAMETER', 'input.textField is required: a.csv has the string columns body, title');
  await assert.rejects(bench.tasks.create({ name: 'Texts', sourceDatasetId: source, steps }, by), refusal);
});

forAnyDatabase('before a task: how its files would be read, and tables that are left out', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const sourceDatasetId = await bench.dataset('mixed', {
    'chat.jsonl': '{"id":1,"messages":[{"role":"user","content":"hello"}]}\n',
    'notes/sales.csv': 'city,comment,price\nOslo,good,1\n',
    'rows.jsonl': '{"text":"one  row"}\n',
    'figures.jsonl': '{"n":1}\n',
    'letter.txt': 'plain',
    'old.doc': '\u00d0\u00cf\u0011 no real one',
    'page.html': '<p>a page</p>',
    'photo.png': 'x',
    'tool.exe': 'x',
    'blob.dat': '\0\u0001\u0002',
  });
  const input = { textFields: [{ files: 'chat.jsonl', field: 'messages[*].content' }], exclude: ['figures.jsonl'] };
  const seen = await bench.inspections.inspect({ sourceDatasetId, input });
  assert.deepEqual(
    seen.fileTypes.map(({ fileType, kind, files }) => [fileType, kind, files]),
    [
      ['csv', 'TABLE', 1],
      ['dat', 'TEXT', 1],
      ['doc', 'DOCUMENT', 1],
      ['exe', 'UNSUPPORTED', 1],
      ['html', 'DOCUMENT', 1],
      ['jsonl', 'TABLE', 3],
      ['png', 'MEDIA', 1],
      ['txt', 'TEXT', 1],
    ],
  );
  assert.deepEqual(
    seen.tables.map(({ filePath, guess, fields, columns, isExcluded }) => [
      filePath,
      guess,
      fields,
      columns.map(({ name, example }) => `${name}=${example}`),
      isExcluded,
    ]),
    [
      ['chat.jsonl', null, ['messages[*].content'], ['messages[*].role=user', 'messages[*].content=hello'], false],
      ['figures.jsonl', null, null, [], true],
      ['notes/sales.csv', null, null, ['city=Oslo', 'comment=good'], false],
      ['rows.jsonl', 'text', ['text'], ['text=one  row'.replace('  ', ' ')], false],
    ],
  );
  assert.deepEqual(
    seen.texts.map(({ filePath, problem }) => [filePath, problem]),
    [['blob.dat', 'it holds bytes that are no text']],
  );
  const latin = await bench.inspections.inspect({ sourceDatasetId, input: { encoding: 'latin1', fileTypes: ['csv'] } });
  assert.deepEqual(
    latin.tables.map(({ encoding, certainty }) => [encoding, certainty]),
    [['windows-1252', 'GIVEN']],
  );

  // A task accepts these choices: the ambiguous table gets its column, the one without text is excluded.
  const chosen = { ...input, textFields: [...input.textFields, { files: 'notes/sales.csv', field: 'comment' }] };
  const given = { name: 'mixed', sourceDatasetId, steps, input: chosen };
  const { samples } = await bench.previews.preview({ ...given, limit: 100 }, true);
  assert.equal(
    samples.some(({ filePath }) => filePath === 'figures.jsonl'),
    false,
  );
  const page = samples.find(({ filePath }) => filePath === 'page.html');
  assert.deepEqual([page?.receipt?.format, page?.receipt?.characters], ['html', 6]);
  const task = await bench.tasks.create(given, by);
  assert.deepEqual(task.input.exclude, ['figures.jsonl']);
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.error, null);
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.equal('figures.jsonl' in (await bench.contents(targetDatasetId)), false);
  assert.equal((await bench.contents(targetDatasetId))['rows.jsonl'], '{"text":"one row"}\n');
});

forAnyDatabase('tables without rows are empty: a task needs no choice for them', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const sourceDatasetId = await bench.dataset('empty', {
    'array.json': '[ ]\n',
    'blank.jsonl': '\n \r\n',
    'broken.jsonl': '{\n',
    'figures.json': '[{"n":1}]',
    'header.csv': 'title,body\r\n\r\n',
    'rows.csv': 'title,body\na word,another\n',
    'rows.jsonl': '{"text":"one  row"}\n',
    'zero.csv': '',
    'zero.jsonl': '',
  });
  const seen = await bench.inspections.inspect({ sourceDatasetId });
  assert.deepEqual(
    seen.tables.map(({ filePath, isEmpty, fields, problem }) => [filePath, isEmpty, fields, problem]),
    [
      ['array.json', true, null, null],
      ['blank.jsonl', true, null, null],
      ['broken.jsonl', false, null, null],
      ['figures.json', false, null, null],
      ['header.csv', true, null, null],
      ['rows.csv', false, null, null],
      ['rows.jsonl', false, ['text'], null],
      ['zero.csv', true, null, null],
      ['zero.jsonl', true, null, null],
    ],
  );
  const input = { exclude: ['broken.jsonl', 'figures.json', 'rows.csv'] };
  const task = await bench.tasks.create({ name: 'empty', sourceDatasetId, steps, input }, by);
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.deepEqual([run.error, run.counts.in, run.counts.failed], [null, 1, 0]);
});

forAnyDatabase('lists: filters, keyword, sort, pages', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'aa' });
  const make = (name: string, description = '') =>
    bench.tasks.create({ name, description, sourceDatasetId: source, steps }, by);
  const one = await make('beta', 'first');
  await make('Alpha', '100%');
  await make('gamma');
  await bench.ended(await bench.runs.execute(one.id, {}, by));
  const names = async (query: object): Promise<string[]> =>
    (await bench.tasks.list({ page: 0, size: 10, ...query })).content.map(({ name }) => name);
  assert.deepEqual(await names({}), ['gamma', 'Alpha', 'beta']);
  assert.deepEqual(await names({ sort: 'name,asc' }), ['Alpha', 'beta', 'gamma']);
  assert.deepEqual(await names({ status: 'PENDING' }), ['gamma', 'Alpha']);
  assert.deepEqual(await names({ status: 'COMPLETED' }), ['beta']);
  assert.deepEqual(await names({ status: 'RUNNING' }), []);
  assert.deepEqual(await names({ keyword: 'FIRST' }), ['beta']);
  assert.deepEqual(await names({ keyword: '%' }), ['Alpha']);
  const page = await bench.tasks.list({ page: 1, size: 2, sort: 'name,desc' });
  assert.deepEqual([page.content.map(({ name }) => name), page.totalPages, page.last], [['Alpha'], 2, true]);
});

forAnyDatabase('a running task: one run, nothing changes under it, its datasets stay', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, steps }, by);
  const attempts = await Promise.allSettled([1, 2, 3].map(() => bench.runs.execute(task.id, {}, by)));
  const runs = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  assert.equal(runs.length, 1);
  for (const attempt of attempts) if (attempt.status === 'rejected') fails('TASK_RUNNING')(attempt.reason);
  assert.equal((await bench.tasks.get(task.id)).status, 'RUNNING');
  await assert.rejects(bench.tasks.update(task.id, { name: 'Other' }, by), fails('TASK_RUNNING'));
  await assert.rejects(bench.tasks.remove(task.id), fails('TASK_RUNNING'));
  await assert.rejects(bench.data.datasets.remove(source, by), fails('DATASET_BUSY'));

  const stopped = await bench.runs.stop(task.id);
  assert.equal(stopped.status, 'STOPPED');
  assert.equal((await bench.tasks.get(task.id)).status, 'STOPPED');
  await assert.rejects(bench.runs.stop(task.id), fails('TASK_NOT_RUNNING'));
  assert.equal((await bench.tasks.get(task.id)).targetDatasetId, null, 'nothing was written');

  const resumed = await bench.ended(await bench.runs.execute(task.id, { resume: true }, by));
  assert.equal(resumed.status, 'COMPLETED', resumed.error ?? '');
  assert.deepEqual([resumed.resumedFrom, resumed.counts.in], [stopped.id, 5_000]);
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'r.jsonl': '{"text":"some words"}\n'.repeat(5_000) });
  await assert.rejects(bench.runs.execute(task.id, { resume: true }, by), fails('NOTHING_TO_RESUME'));

  await bench.tasks.remove(task.id);
  await assert.rejects(bench.tasks.get(task.id), fails('TASK_NOT_FOUND'));
  assert.ok(targetDatasetId !== null);
  assert.equal((await bench.data.datasets.get(targetDatasetId)).fileCount, 1, 'datasets stay');
  await bench.data.datasets.remove(source, by);
});

forAnyDatabase('a target that is archived meanwhile fails the run with the reason', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const target = await bench.dataset('Mine', {});
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, targetDatasetId: target, steps }, by);
  const run = await bench.runs.execute(task.id, {}, by);
  await bench.data.datasets.update(target, { status: 'ARCHIVED' }, by);
  const finished = await bench.ended(run);
  assert.equal(finished.status, 'FAILED');
  assert.match(finished.error ?? '', /is archived/);
  await assert.rejects(bench.runs.execute(task.id, {}, by), fails('TARGET_ARCHIVED'));
  const logs = await bench.runs.logs(task.id, run.id, { page: 0, size: 100 });
  assert.equal(logs.content.at(-1)?.message, finished.error);

  await bench.data.datasets.update(target, { status: 'ACTIVE' }, by);
  const resumed = await bench.ended(await bench.runs.execute(task.id, { resume: true }, by));
  assert.equal(resumed.status, 'COMPLETED', resumed.error ?? '');
  assert.equal((await bench.data.datasets.get(target)).fileCount, 1);
});

forAnyDatabase('a changed task is not resumed', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, steps }, by);
  await bench.runs.execute(task.id, {}, by);
  await bench.runs.stop(task.id);
  const changed = await bench.tasks.update(task.id, { steps: steps.slice(0, 1), targetDatasetName: 'Elsewhere' }, by);
  assert.deepEqual([changed.steps.length, changed.targetDatasetName, changed.name], [1, 'Elsewhere', 'Task']);
  await assert.rejects(bench.runs.execute(task.id, { resume: true }, by), fails('TASK_CHANGED'));
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.counts.in, 5_000);
});

forAnyDatabase('a task that ends while it is read names what it has made', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b' });
  const task = await bench.tasks.create({ name: 'Clean', sourceDatasetId: source, steps }, by);
  const runs = bench.allRuns;
  const { findRuns } = runs;
  const run = await bench.runs.execute(task.id, {}, by);
  runs.findRuns = async (...asked) => {
    runs.findRuns = findRuns;
    await bench.ended(run);
    return findRuns(...asked);
  };
  const seen = await bench.tasks.get(task.id);
  assert.equal(seen.status, 'COMPLETED');
  assert.notEqual(seen.targetDatasetId, null);
});

/** Every tenth row has its text in another column. */
const mixedRows = (of: (row: number) => string, only: (row: number) => boolean = () => true): string =>
  Array.from({ length: 100 }, (_, row) => row)
    .filter(only)
    .map((row) => `{"n":${row},"${row % 10 === 0 ? 'body' : 'text'}":"${of(row)}"}\n`)
    .join('');

forAnyDatabase(
  'failed samples alone are processed again: added to the target, nothing else changes',
  async (t, openDb) => {
    const bench = await open(t, await openDb());
    const files = {
      'in/a.jsonl': mixedRows((row) => `row  ${row}`),
      'in/b.txt': 'some  text',
      'in/c.csv': 'n,text\n1,some  words\n2,too,many\n',
    };
    const source = await bench.dataset('Raw', files);
    const task = await bench.tasks.create(
      { name: 'Task', sourceDatasetId: source, steps, input: { prefix: 'in', textField: 'text' } },
      by,
    );
    const refused = (failedOf: string, cause: string): Promise<void> =>
      assert.rejects(bench.runs.execute(task.id, { failedOf }, by), fails('FAILED_OF_REFUSED', cause));
    await refused('other', 'it is not a run of this task');
    const first = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.deepEqual([first.error, first.counts.in, first.counts.failed], [null, 103, 11]);
    const { targetDatasetId: target } = await bench.tasks.get(task.id);
    const clean = {
      'in/a.jsonl': mixedRows(
        (row) => `row ${row}`,
        (row) => row % 10 !== 0,
      ),
      'in/b.txt': 'some text',
      'in/c.csv': 'n,text\n1,some words\n',
    };
    assert.deepEqual(await bench.contents(target), clean);

    // The source gets new files and the task changes: the run still reads the failed samples, with the new settings.
    await bench.put(source, { 'in/a.jsonl': '{"body":"later"}\n', 'in/d.txt': 'later' });
    const input = { prefix: 'elsewhere', textFields: [{ files: 'a.jsonl', field: 'body' }], textField: 'text' };
    await bench.tasks.update(task.id, { input }, by);
    await assert.rejects(
      bench.runs.execute(task.id, { failedOf: first.id, resume: true }, by),
      fails('INVALID_PARAMETER', 'failedOf'),
    );
    const again = await bench.ended(await bench.runs.execute(task.id, { failedOf: first.id }, by));
    assert.deepEqual([again.error, again.failedOf], [null, first.id]);
    assert.deepEqual(again.counts, { in: 11, kept: 10, changed: 10, dropped: 0, failed: 1, emitted: 10 });
    const rescued = mixedRows(
      (row) => `row ${row}`,
      (row) => row % 10 === 0,
    );
    // The row of `c.csv` fails again and leaves no file.
    const added = { 'reprocessed/run-1/in/a.jsonl': rescued };
    assert.deepEqual(await bench.contents(target), { ...clean, ...added });

    // Its samples are in the target now, so the next run over failed samples must refer to the latest run.
    await refused(first.id, 'run 2 completed later');
    const third = await bench.ended(await bench.runs.execute(task.id, { failedOf: again.id }, by));
    assert.deepEqual([third.counts.in, third.counts.failed], [1, 1]);
    assert.deepEqual(await bench.contents(target), { ...clean, ...added });

    // A full run processes these samples itself.
    await bench.tasks.update(task.id, { input: { prefix: 'in', textField: 'body' } }, by);
    const full = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.equal(full.failedOf, null);
    assert.deepEqual(await bench.contents(target), {
      'in/a.jsonl': '{"body":"later"}\n',
      'in/b.txt': 'some text',
      'in/c.csv': 'n,text\n',
      'in/d.txt': 'later',
    });
    await bench.tasks.update(task.id, { targetDatasetName: 'Elsewhere' }, by);
    await refused(full.id, 'its target was deleted or is no longer the target of the task');
  },
);

forAnyDatabase('failed samples alone, into a target of others', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.jsonl': '{"text":"one  two"}\n{"body":"three  four"}\n' });
  const target = await bench.dataset('Mine', { 'own.txt': 'mine', 'reprocessed/run-1/a.jsonl': 'of others' });
  const given = { name: 'Task', sourceDatasetId: source, targetDatasetId: target, steps };
  const task = await bench.tasks.create(given, by);
  const own = { 'own.txt': 'mine', 'reprocessed/run-1/a.jsonl': 'of others' };
  const first = await bench.ended(await bench.runs.execute(task.id, {}, by));
  const body = { input: { textField: 'body' } };
  await bench.tasks.update(task.id, body, by);
  const again = await bench.ended(await bench.runs.execute(task.id, { failedOf: first.id }, by));
  assert.equal(again.error, null);
  assert.deepEqual(await bench.contents(target), {
    ...own,
    'a.jsonl': '{"text":"one two"}\n',
    [`reprocessed-${task.id.slice(-8)}/run-1/a.jsonl`]: '{"body":"three four"}\n',
  });
  const full = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.deepEqual(await bench.contents(target), { ...own, 'a.jsonl': '{"body":"three four"}\n' });

  // With KEEP the failed sample is in the target.
  await bench.tasks.update(task.id, { onError: 'KEEP', input: { textField: 'body' } }, by);
  assert.equal(full.counts.failed, 1);
  const kept = await bench.ended(await bench.runs.execute(task.id, {}, by));
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: kept.id }, by),
    fails('FAILED_OF_REFUSED', 'the target already contains its failed samples'),
  );
  const other = await bench.dataset('Other', { 'a.jsonl': '{"body":"fine"}\n' });
  await bench.tasks.update(task.id, { sourceDatasetId: other }, by);
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: kept.id }, by),
    fails('FAILED_OF_REFUSED', 'the task now reads another dataset'),
  );
  const fine = await bench.ended(await bench.runs.execute(task.id, {}, by));
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: fine.id }, by),
    fails('FAILED_OF_REFUSED', 'none of its samples failed'),
  );
});
