// The source of a task before it runs: how its files would be read, and its columns of texts.
import assert from 'node:assert/strict';
import { fails } from '../../../tests/support/app-errors.ts';
import { by, open, steps } from '../../../tests/support/cleaning.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';

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
