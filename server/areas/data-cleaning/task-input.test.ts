import assert from 'node:assert/strict';
import { fails } from '../../../tests/support/app-errors.ts';
import { by, open, steps } from '../../../tests/support/cleaning.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import type { NewTask } from './schemas/tasks.ts';

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
    if (change.steps === undefined && change.input === undefined) continue;
    const preview = { sourceDatasetId: source, steps, input: good.input, ...change };
    await assert.rejects(bench.previews.preview(preview, true), fails(code, mentions));
  }
  assert.equal((await bench.tasks.list({ page: 0, size: 1 })).totalElements, 0);
});
