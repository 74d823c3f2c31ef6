// Steps over the columns of a row: removed, renamed and written columns, and the bytes that stay.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openBench, step, type RunRecipe } from '../../../tests/support/engine.ts';

forAnyDatabase('steps over columns leave every other byte of a row as it is', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  async function clean(name: string, content: string, recipe: RunRecipe): Promise<[string, (string | null)[][]]> {
    const run = await bench.ended((await bench.execute([await bench.put(name, content)], recipe)).id);
    assert.equal(run.error, null);
    const { counts } = run;
    assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
    const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 100 });
    const result = [...(await bench.result()).values()].join('');
    return [result, entries.map(({ verdict, reason }) => [verdict, reason])];
  }
  const recipe = (...steps: RunRecipe['steps']): RunRecipe => ({ steps, onError: 'DROP', textField: 'text' });

  const rows = [
    '{ "id" : 12345678901234567890 ,"text":"a  b", "n":1.50,"lang":"en"}',
    '{"lang":"de","text":"c","n":1e3,"lang":"fr"}\r',
    '{"text":"d"}',
    '',
  ].join('\n');
  const names = recipe(
    step('column-renamer', { names: 'id=key, text=body', missing: 'KEEP' }),
    step('whitespace-normalizer', { maxBlankLines: 1 }),
    step('column-remover', { columns: 'lang' }),
  );
  assert.deepEqual(await clean('a.jsonl', rows, names), [
    '{ "key" : 12345678901234567890 ,"body":"a b", "n":1.50}\n{"body":"c","n":1e3}\r\n',
    [
      ['CHANGED', null],
      ['CHANGED', null],
      ['FAILED', 'the row lacks the column "lang"'],
    ],
  ]);

  // The text is an ordinary column, both for steps that read columns and for steps that read texts.
  const texts = recipe(
    step('column-trimmer', { columns: 'text, a' }),
    step('text-length-filter', { min: 3, max: 100, unit: 'CHARACTERS' }),
    step('column-template-writer', { column: 'text', template: '{a}: {text}' }),
    step('column-caster', { columns: 'text', type: 'NUMBER', unreadable: 'KEEP' }),
  );
  const delimited = 'text,a,b\n" one ", x ,"1"\n  no  ,y,2\n';
  assert.deepEqual(await clean('b.csv', delimited, texts), [
    'text,a,b\n"x: one",x,"1"\n',
    [
      ['CHANGED', null],
      ['DROPPED', 'length 2 is below min 3'],
    ],
  ]);
  const numbers = recipe(step('column-caster', { columns: 'text', type: 'NUMBER' }));
  const [, [failed]] = await clean('c.jsonl', '{"text":"1"}\n', numbers);
  assert.deepEqual(failed, ['FAILED', '"text" holds the text: it must stay a text']);

  // The header of a delimited file matches its rows.
  const selected = recipe(
    step('column-selector', { columns: 'text, a' }),
    step('column-filler', { columns: 'new', value: 'v' }),
  );
  const [shaped] = await clean('d.csv', delimited, selected);
  assert.equal(shaped, 'text,a,new\n" one ", x ,v\n  no  ,y,v\n');
  const asJson = await clean('d.csv', delimited, { ...selected, output: { format: 'JSONL', shardBytes: 1 << 20 } });
  assert.equal(asJson[0], '{"text":" one ","a":" x ","new":"v"}\n{"text":"  no  ","a":"y","new":"v"}\n');

  // A list becomes several rows; each keeps the other columns unchanged.
  const exploded = recipe(step('list-splitter', { column: 'tags' }));
  assert.deepEqual(await clean('e.jsonl', '{"n":1.0,"tags":["x",2],"text":"t"}\n{"tags":[],"text":"u"}\n', exploded), [
    '{"n":1.0,"tags":"x","text":"t"}\n{"n":1.0,"tags":2,"text":"t"}\n',
    [
      ['CHANGED', null],
      ['DROPPED', '"tags" is an empty list'],
    ],
  ]);

  // In a row with several texts, a step over columns runs once.
  const several = {
    ...recipe(step('column-case-normalizer', { columns: 'x', case: 'UPPER' })),
    textField: 'm[*].content',
  };
  const turns = '{"m":[{"content":"a"},{"content":"b"}],"x":"y"}\n';
  assert.deepEqual(await clean('f.jsonl', turns, several), [turns.replace('"y"', '"Y"'), [['CHANGED', null]]]);

  // Rows of the whole set are compared by a column, and the first of the remaining ones are kept.
  const set = recipe(step('row-key-deduplicator', { columns: 'id' }), step('first-sample-filter', { count: 2 }));
  const ids = [
    '{"id":1,"text":"a"}',
    '{"id":1,"text":"b"}',
    '{"text":"c"}',
    '{"id":null,"text":"d"}',
    '{"id":2,"text":"e"}',
  ];
  const [first, verdicts] = await clean('g.jsonl', `${ids.join('\n')}\n`, set);
  assert.equal(first, `${ids[0]}\n${ids[2]}\n`);
  assert.deepEqual(
    verdicts.map(([verdict, reason]) => [verdict, reason?.replace(/, row.*$/, '')]),
    [
      ['KEPT', undefined],
      ['DROPPED', 'the same key as g.jsonl'],
      ['KEPT', undefined],
      ['DROPPED', 'the same key as g.jsonl'],
      ['DROPPED', 'behind the first 2 samples'],
    ],
  );

  // Ids with more digits than a double holds stay exact: they differ, and are written with all their digits.
  const large = ['1727334455667788993', '1727334455667788994', '1727334455667788993'];
  const rowsOfLarge = large.map((id) => `{"id":${id},"text":"t","x":{"id":${id}}}\n`).join('');
  const exactly = recipe(
    step('row-key-deduplicator', { columns: 'id' }),
    step('column-renamer', { names: 'id=key' }),
    step('json-path-extractor', { path: 'x.id', column: 'inner' }),
    step('column-caster', { columns: 'x', type: 'TEXT' }),
  );
  const [digits] = await clean('h.jsonl', rowsOfLarge, exactly);
  assert.equal(
    digits,
    large
      .slice(0, 2)
      .map((id) => `{"key":${id},"text":"t","x":"{\\"id\\":${id}}","inner":${id}}\n`)
      .join(''),
  );
});
