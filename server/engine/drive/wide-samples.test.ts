import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../tests/support/engine.ts';
import type { InputFile, LedgerEntry, Step } from '../index.ts';

async function clean(
  bench: EngineBench,
  files: readonly InputFile[],
  steps: readonly Step[],
): Promise<{ result: Map<string, string>; entries: LedgerEntry[] }> {
  const run = await bench.ended((await bench.execute(files, { steps, onError: 'DROP', textField: 'text' })).id);
  assert.equal(run.error, null);
  const { counts } = run;
  assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
  const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 1000 });
  return { result: await bench.result(), entries };
}

forAnyDatabase('a step writes fields into their place; every other byte of the row stays', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put(
      'a.jsonl',
      '{"n":1.50, "text":"one", "length" : 0 }\r\n{"text":"three"}\n{"length":5,"text":"seven"}\n',
    ),
    await bench.put('b.csv', 'text;length;n\r\n"one";"x";1.50\r\ntwo;3;02\r\n'),
    await bench.put('c.csv', 'text,n\none,1\n'),
    await bench.put('d.txt', 'a document'),
  ];
  const { result, entries } = await clean(bench, files, [step('length-writer', { field: 'length' })]);
  assert.equal(
    result.get('a.jsonl'),
    '{"n":1.50, "text":"one", "length" : 3 }\r\n{"text":"three","length":5}\n{"length":5,"text":"seven"}\n',
  );
  assert.equal(result.get('b.csv'), 'text;length;n\r\n"one";"3";1.50\r\ntwo;3;02\r\n');
  assert.equal(result.get('c.csv'), 'text,n,length\none,1,3\n');
  assert.deepEqual(
    entries.map(({ filePath, verdict, reason }) => [filePath, verdict, reason]),
    [
      ['a.jsonl', 'CHANGED', null],
      ['a.jsonl', 'CHANGED', null],
      ['a.jsonl', 'KEPT', null],
      ['b.csv', 'CHANGED', null],
      // A cell is a text: the number 3 differs from the text 3, but is written the same.
      ['b.csv', 'CHANGED', null],
      ['c.csv', 'CHANGED', null],
      [
        'd.txt',
        'FAILED',
        'a document has no columns, and the step writes "length": choose JSON Lines or Parquet as the format of the result',
      ],
    ],
  );
  assert.equal(entries.at(-1)?.operatorId, 'length-writer', 'the step that wrote it is named');
  assert.deepEqual(entries[0]?.scores, [
    { step: 0, operatorId: 'length-writer', name: 'seen', score: 1, highest: null },
  ]);
});

forAnyDatabase('fields are judged beside changes of the text', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('a.jsonl', '{"lang":"en","text":"a  b"}\n{"lang":"de","text":"c"}\n{"text":"d"}\n'),
    await bench.put('b.tsv', 'lang\ttext\nen\ta  b\nde\tc\n'),
  ];
  const steps = [
    step('whitespace-normalizer', { maxBlankLines: 1 }),
    step('lang-filter', { lang: 'en' }),
    step('length-writer', { field: 'lang' }),
    step('lang-filter', { lang: 3 }),
  ];
  const { result, entries } = await clean(bench, files, steps);
  assert.equal(result.get('a.jsonl'), '{"lang":3,"text":"a b"}\n');
  assert.equal(result.get('b.tsv'), 'lang\ttext\n3\ta b\n');
  assert.deepEqual(
    entries.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['CHANGED', null],
      ['DROPPED', 'lang is "de"'],
      ['DROPPED', 'lang is undefined'],
      ['CHANGED', null],
      ['DROPPED', 'lang is "de"'],
    ],
  );
});

forAnyDatabase('conversations are read by role, and turns that stay keep their bytes', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put(
      'a.jsonl',
      [
        '{"text":"","messages":[{"role":"user","content":"hi","at":1.0},{"role":"assistant","content":"yo"}]}',
        '{"text":"","messages":[{"role":"system","content":"s"}, {"role":"user","content":"HI","id":90071992547409931}]}',
        '{"text":"","conversations":[{"from":"user","value":"hi"},{"from":"gpt","value":"yo"}]}',
        '{"text":"","messages":[{"role":"user"}]}',
        '{"text":"","messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"hi\\"}]"}',
        '{"text":"","messages":[]}',
      ].join('\n'),
    ),
    await bench.put('b.csv', 'text,messages\nx,"[{""role"":""user"",""content"":""hi""}]"\n'),
  ];
  const { result, entries } = await clean(bench, files, [step('turn-rewriter')]);
  assert.deepEqual(result.get('a.jsonl')?.split('\n'), [
    '{"text":"","messages":[{"role":"user","content":"HI","at":1.0},{"role":"assistant","content":"yo"}]}',
    '{"text":"","messages":[{"role":"user","content":"HI","id":90071992547409931}]}',
    '{"text":"","conversations":[{"from":"user","value":"HI"},{"from":"gpt","value":"yo"}]}',
    '{"text":"","messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"HI\\"}]"}',
    '{"text":"","messages":[]}',
  ]);
  assert.equal(result.get('b.csv'), 'text,messages\nx,"[{""role"":""user"",""content"":""HI""}]"\n');
  assert.deepEqual(
    entries.map(({ verdict }) => verdict),
    ['CHANGED', 'CHANGED', 'CHANGED', 'FAILED', 'CHANGED', 'KEPT', 'CHANGED'],
  );
  assert.equal(entries[3]?.reason, 'messages[0] has no texts "role" and "content"');
});

forAnyDatabase('pictures are samples where a step reads media', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [await bench.put('a.png', 'abc'), await bench.put('b.jpg', 'x'), await bench.put('c.zip', 'PK')];
  const { result, entries } = await clean(bench, files, [step('picture-turner')]);
  assert.deepEqual([...result], [['a.png', 'cba']]);
  assert.deepEqual(
    entries.map(({ filePath, verdict, reason }) => [filePath, verdict, reason]),
    [
      ['a.png', 'CHANGED', null],
      ['b.jpg', 'DROPPED', 'too small'],
      [
        'c.zip',
        'FAILED',
        'UNSUPPORTED_FORMAT: c.zip: it is an archive; upload it again with "Unpack archives", or upload its files',
      ],
    ],
  );
  const texts = await clean(bench, files, [step('text-length-filter', { min: 0, max: 9 })]);
  assert.deepEqual(
    texts.entries.map(({ verdict }) => verdict),
    ['SKIPPED', 'SKIPPED', 'FAILED'],
  );
});

forAnyDatabase('an operator that writes what it does not declare fails its samples', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [await bench.put('a.jsonl', '{"text":"one","lang":"en"}\n{"text":"two","lang":"xx"}\n')];
  const { result, entries } = await clean(bench, files, [step('secret-writer')]);
  assert.equal(result.get('a.jsonl'), '{"text":"two","lang":"xx"}\n');
  assert.equal(entries[0]?.reason, 'The operator wrote fields, which it does not declare');
  assert.equal(entries[1]?.verdict, 'KEPT');
});
