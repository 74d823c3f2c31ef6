import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openBench, openEngine, step, type EngineBench, type RunRecipe } from '../../../tests/support/engine.ts';
import type { InputFile, LedgerEntry, RecipeRun } from '../index.ts';

type Cleaned = { run: RecipeRun; result: Map<string, string>; entries: LedgerEntry[] };

async function clean(bench: EngineBench, files: readonly InputFile[], recipe: RunRecipe): Promise<Cleaned> {
  const run = await bench.ended((await bench.execute(files, recipe)).id);
  assert.equal(run.error, null);
  const { counts } = run;
  assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
  const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 1000 });
  return { run, result: await bench.result(), entries };
}

const normalize = step('whitespace-normalizer', { maxBlankLines: 1 });

forAnyDatabase('a path leads into nested values; all other bytes of the row stay', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put(
      'a.jsonl',
      [
        '{"id":1.0,"doc":{"text":"a  b" ,"n":1e3},"text":"x  y"}',
        '{"doc":{"text":"fine"}}',
        '{"doc":{}}',
        '{"doc":"a  b"}',
        '{"doc":{"text":5}}',
        '{"doc":{"text":"a  b"},"doc":{"text":"c  d"}}',
        '{"doc.text":"e  f","doc":{"text":"g  h"}}',
      ].join('\n'),
    ),
  ];
  const { result, entries } = await clean(bench, files, { steps: [normalize], onError: 'DROP', textField: 'doc.text' });
  assert.deepEqual(result.get('a.jsonl')?.split('\n'), [
    '{"id":1.0,"doc":{"text":"a b" ,"n":1e3},"text":"x  y"}',
    '{"doc":{"text":"fine"}}',
    '{"doc":{"text":"a  b"},"doc":{"text":"c d"}}',
    '{"doc.text":"e f","doc":{"text":"g  h"}}',
  ]);
  assert.deepEqual(
    entries.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['CHANGED', null],
      ['KEPT', null],
      ['FAILED', '"doc.text" is missing'],
      ['FAILED', '"doc.text" is missing'],
      ['FAILED', '"doc.text" is not a string'],
      ['CHANGED', null],
      ['CHANGED', null],
    ],
  );
  const split = await clean(bench, files.slice(0, 1), {
    steps: [step('word-splitter')],
    onError: 'DROP',
    textField: 'doc["text"]',
  });
  assert.ok(split.result.get('a.jsonl')?.startsWith('{"id":1.0,"doc":{"text":"a" ,"n":1e3},"text":"x  y"}\n'));
});

forAnyDatabase('the text parts of messages go through the steps; pictures beside them stay', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const picture = '{ "type":"image_url","image_url":{"url":"data:,a  b"},"n":1.0}';
  const rowOf = (first: string): string =>
    `{"messages":[{"role":"user","content":[{"type":"text","text":"${first}"},${picture}]},{"role":"assistant","content":"c"}]}`;
  const files = [
    await bench.put('chat.jsonl', [rowOf('a  b'), rowOf('drop me'), rowOf('fine')].join('\n')),
    await bench.put('one.jsonl', `{"content":[{"type":"text","text":"a  b"},${picture}]}`),
  ];
  const { result, entries } = await clean(bench, files, {
    steps: [normalize, step('text-length-filter', { max: 6 })],
    onError: 'DROP',
    textFields: [
      { files: 'chat.jsonl', fields: ['messages[*].content'] },
      { files: 'one.jsonl', fields: ['content'] },
    ],
  });
  assert.equal(result.get('chat.jsonl'), `${rowOf('a b')}\n${rowOf('fine')}`);
  assert.deepEqual(
    entries.map(({ verdict, reason, field }) => [verdict, reason, field]),
    [
      ['CHANGED', null, null],
      ['DROPPED', 'length 7 is above max 6', 'messages[0].content[0].text'],
      ['KEPT', null, null],
      ['FAILED', '"content" is a list of parts, not a string; choose content[type=text].text', null],
    ],
  );
});

forAnyDatabase('each turn of a conversation goes through the steps', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put(
      'chat.jsonl',
      [
        '{"messages":[{"role":"user","content":"a  b","at":1.0},{"role":"assistant","content":null,"tool":1},{"role":"user","content":"c"}]}',
        '{"messages":[{"role":"user","content":"fine"},{"role":"assistant","content":""}]}',
        '{"messages":[]}',
        '{"messages":[{"role":"user"}]}',
        '{"messages":[{"role":"user","content":"ok"},{"role":"user","content":"throw"}]}',
      ].join('\n'),
    ),
  ];
  const steps = [normalize, step('text-length-filter', { min: 1, max: 100 }), step('word-thrower')];
  const { run, result, entries } = await clean(bench, files, {
    steps,
    onError: 'DROP',
    textFields: [{ files: '*.jsonl', fields: ['messages[*].content'] }],
  });
  assert.equal(
    result.get('chat.jsonl'),
    '{"messages":[{"role":"user","content":"a b","at":1.0},{"role":"assistant","content":null,"tool":1},{"role":"user","content":"c"}]}\n' +
      '{"messages":[]}\n',
  );
  assert.deepEqual(
    entries.map(({ verdict, operatorId, reason, field }) => [verdict, operatorId, reason, field]),
    [
      ['CHANGED', null, null, null],
      ['DROPPED', 'text-length-filter', 'length 0 is below min 1', 'messages[1].content'],
      ['KEPT', null, null, null],
      ['FAILED', null, '"messages[0].content" is missing', null],
      ['FAILED', 'word-thrower', 'it found the word throw', 'messages[1].content'],
    ],
  );
  assert.deepEqual(entries[0]?.scores, [
    { step: 1, operatorId: 'text-length-filter', name: null, score: 1, highest: 3 },
  ]);
  // Rows are counted, not their texts.
  const summary = await bench.engine.summarizeSteps(run);
  assert.deepEqual(
    summary.map(({ in: entering, changed, dropped, failed }) => [entering, changed, dropped, failed]),
    [
      [3, 1, 0, 0],
      [3, 0, 1, 0],
      [2, 0, 0, 1],
    ],
  );
  const plan = (value: number) => ({
    steps: 3,
    bounds: [{ step: 1, direction: 'max' as const, value }],
    blindFrom: null,
  });
  assert.equal((await bench.engine.rethreshold(run, plan(2))).steps[1]?.dropped, 3);
  assert.equal((await bench.engine.rethreshold(run, plan(3))).steps[1]?.dropped, 2);
});

forAnyDatabase('rows are compared as wholes where steps see the whole set', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const thanks = '{"messages":[{"content":"thanks"},{"content":"thanks"}]}\n';
  const files = [
    await bench.put('a.jsonl', `${thanks}{"messages":[{"content":"thanks"},{"content":"bye"}]}\n`),
    await bench.put('b.jsonl', thanks),
  ];
  const { result, entries } = await clean(bench, files, {
    steps: [
      normalize,
      step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false }),
      step('word-thrower'),
    ],
    textField: 'messages[*].content',
  });
  assert.equal(result.get('a.jsonl'), `${thanks}{"messages":[{"content":"thanks"},{"content":"bye"}]}\n`);
  assert.equal(result.get('b.jsonl'), '');
  assert.deepEqual(
    entries.map(({ reason }) => reason),
    [null, null, 'duplicate of a.jsonl, row 1'],
  );
});

forAnyDatabase('several columns of each file by its path; the first rule that matches decides', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('qa/a.csv', 'q;id;a\r\n"x  y";1.0;fine\r\nok;2;"b  c"\r\nok;3;""\r\n'),
    await bench.put('qa/b.tsv', 'a\tq\nm  n\to  p\n'),
    await bench.put('c.jsonl', '{"title":"a  b","body":"c  d"}\n{"title":"only"}\n'),
    await bench.put('d.jsonl', '{"title":"a  b","text":"c  d"}\n'),
    await bench.put('e.csv', 'a,b\n1  2,3\n'),
  ];
  const { result, entries } = await clean(bench, files, {
    steps: [normalize, step('text-length-filter', { min: 1, max: 100 })],
    onError: 'DROP',
    textField: 'text',
    textFields: [
      { files: 'qa/**', fields: ['q', 'a'] },
      { files: 'c.*', fields: ['title', 'body'] },
      { files: '*.csv', fields: ['b', 'z'] },
    ],
  });
  assert.equal(result.get('qa/a.csv'), 'q;id;a\r\n"x y";1.0;fine\r\nok;2;"b c"\r\n');
  assert.equal(result.get('qa/b.tsv'), 'a\tq\nm n\to p\n');
  assert.equal(result.get('c.jsonl'), '{"title":"a b","body":"c d"}\n');
  assert.equal(result.get('d.jsonl'), '{"title":"a  b","text":"c d"}\n');
  assert.equal(result.get('e.csv'), 'a,b\n');
  assert.deepEqual(
    entries
      .filter(({ verdict }) => verdict !== 'CHANGED')
      .map(({ filePath, reason, field }) => [filePath, reason, field]),
    [
      ['qa/a.csv', 'length 0 is below min 1', 'a'],
      ['c.jsonl', '"body" is missing', null],
      ['e.csv', '"z" is missing', null],
    ],
  );
});

forAnyDatabase('a step that splits can not be used on several texts of a row', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [await bench.put('a.jsonl', '{"a":"x y","b":"z"}\n{"a":"x","b":"z"}\n')];
  const { entries } = await clean(bench, files, {
    steps: [step('word-splitter')],
    textFields: [{ files: '**', fields: ['b', 'a'] }],
  });
  assert.deepEqual(
    entries.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['FAILED', 'a row with several texts can not be split'],
      ['FAILED', 'a row with several texts can not be split'],
    ],
  );
});

forAnyDatabase('rows that conditions do not hold for are skipped: counted apart, not written', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put(
      'a.jsonl',
      [
        '{"lang":"zh","n":1.0,"text":"a  b"}',
        '{"lang":"en","n":2,"text":"c  d"}',
        '{broken',
        '{"lang":"de"}',
        '{"lang":"zh"}',
        '{"lang":"zh","n":3,"text":"fine"}',
      ].join('\n'),
    ),
    await bench.put('b.csv', 'lang,text\r\nen,"x  y"\r\nzh,one\r\nzh,one\r\n'),
    await bench.put('c.txt', 'a  document'),
    await bench.put('d.jsonl', '{"lang":"en","text":"none of it"}\n'),
  ];
  const recipe: RunRecipe = {
    steps: [normalize, step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false })],
    onError: 'DROP',
    textField: 'text',
    where: [{ field: 'lang', op: 'EQ', value: 'zh' }],
  };
  const { run, result, entries } = await clean(bench, files, recipe);
  assert.equal(result.get('a.jsonl'), '{"lang":"zh","n":1.0,"text":"a b"}\n{"lang":"zh","n":3,"text":"fine"}');
  assert.equal(result.get('b.csv'), 'lang,text\r\nzh,one\r\n');
  assert.equal(result.get('d.jsonl'), '');
  assert.equal(result.has('c.txt'), false);
  assert.deepEqual(
    entries.map(({ filePath, row, line, verdict }) => [filePath, row, line, verdict]),
    [
      ['a.jsonl', 1, 1, 'CHANGED'],
      ['a.jsonl', 2, 2, 'SKIPPED'],
      ['a.jsonl', 3, 3, 'FAILED'],
      ['a.jsonl', 4, 4, 'SKIPPED'],
      ['a.jsonl', 5, 5, 'FAILED'],
      ['a.jsonl', 6, 6, 'KEPT'],
      ['b.csv', 1, 2, 'SKIPPED'],
      ['b.csv', 2, 3, 'KEPT'],
      ['b.csv', 3, 4, 'DROPPED'],
      ['c.txt', null, null, 'SKIPPED'],
      ['d.jsonl', 1, 1, 'SKIPPED'],
    ],
  );
  assert.ok(entries.every(({ verdict, reason }) => (verdict === 'SKIPPED') === (reason === 'WHERE')));
  assert.equal(entries[8]?.reason, 'duplicate of b.csv, row 2');
  assert.equal(run.skipped, 5);
  assert.equal(run.counts.in, 6);
  const skipped = await bench.engine.readLedger(run, { verdict: 'SKIPPED' }, { page: 0, size: 2 });
  assert.equal(skipped.total, 5);

  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield files;
  }
  const request = { inputs: inputs(), onError: 'DROP', textField: 'text', steps: recipe.steps, limit: 3 } as const;
  const { samples } = await bench.engine.preview({ ...request, where: recipe.where ?? [] });
  assert.deepEqual(
    samples.map(({ filePath, row }) => [filePath, row]),
    [
      ['a.jsonl', 1],
      ['a.jsonl', 3],
      ['a.jsonl', 5],
    ],
  );
  const found = await bench.engine.findSample(run, entries[7]?.sampleId ?? '');
  assert.ok(found !== undefined);
  const traced = await bench.engine.traceSample(run, found);
  assert.deepEqual([traced?.row, traced?.texts[0]?.text], [2, 'one']);
});

forAnyDatabase('skipped rows come out the same for any size of shards', async (t, openDb) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-where-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDb();
  const rows = Array.from({ length: 400 }, (_, n) => `{"n":${n},"text":"row  ${n % 7}"}\n`).join('');
  const outcomes: string[] = [];
  for (const shardBytes of [1 << 20, 900]) {
    const bench = await openEngine(db, directory, { shardBytes });
    t.after(() => bench.close());
    const files = [await bench.put('a.jsonl', rows)];
    const { run, result, entries } = await clean(bench, files, {
      steps: [normalize, step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false })],
      textField: 'text',
      where: [{ field: 'n', op: 'GE', value: 100 }],
    });
    assert.deepEqual([run.skipped, run.counts.in, run.counts.kept], [100, 300, 7]);
    for (const { sampleId, row } of [...entries.slice(95, 105), ...entries.slice(-3)])
      assert.equal((await bench.engine.findSample(run, sampleId))?.entry.row, row);
    outcomes.push(JSON.stringify([[...result], entries.map(({ row, verdict, reason }) => [row, verdict, reason])]));
  }
  assert.equal(outcomes[1], outcomes[0]);
});
