import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseWithoutLoss } from '../kernel/exact-json.ts';
import {
  asksModels,
  isBatchOperator,
  isSampleOperator,
  isSetOperator,
  operators,
  parseParams,
  type Operator,
  type Outcome,
  type ReferenceIndex,
  type SampleOperator,
  type SetDrop,
  type SetWrite,
  type SetOperator,
  type Signatures,
} from './index.ts';
import { scriptedModel } from '../../tests/support/model-effects.ts';
import { anyText } from '../../tests/support/any-text.ts';

function prepared(
  operator: SampleOperator,
  given: unknown,
  references: readonly string[] = [],
): (text: string) => Outcome {
  const { params } = accepted(operator, given);
  const each = operator.each(params, { references: indexOf(operator, params, references) });
  return (text) => each(operator.reads.includes('columns') ? { columns: columnsOf(text) } : { text });
}

/** The keys that an operator records of texts, as the rows of one file. */
function indexOf(
  operator: SampleOperator,
  params: Readonly<Record<string, unknown>>,
  texts: readonly string[],
): ReferenceIndex {
  const rows = new Map<string, number>();
  const refer = operator.refer?.(params);
  for (const [row, text] of texts.entries()) {
    refer?.({ text }, (low, high) => {
      if (!rows.has(`${low} ${high}`)) rows.set(`${low} ${high}`, row);
    });
  }
  return {
    find: (low, high) => rows.get(`${low} ${high}`) ?? -1,
    placeOf: (row) => ({ dataset: 'Questions', path: 'questions.jsonl', row: row + 1, line: row + 1 }),
  };
}

/** The input of a column operator's example as a row; any other text becomes the column `text`. */
function columnsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const row = parseWithoutLoss(text);
    if (typeof row === 'object' && row !== null) return row as Readonly<Record<string, unknown>>;
  } catch {
    // Not a row.
  }
  return { text };
}

/** The row after a column operator, as JSON, which leaves out undefined members. */
function rowOf(input: string, outcome: { columns?: Readonly<Record<string, unknown>> }): string {
  const row = columnsOf(input);
  const changes = outcome.columns ?? {};
  const renamed = Object.keys(changes).find((name) => !Object.hasOwn(row, name) && changes[name] !== undefined);
  const isRenaming = renamed !== undefined && Object.values(changes).includes(undefined);
  if (!isRenaming) return JSON.stringify({ ...row, ...changes });
  // A renamed column keeps its place.
  const added = Object.keys(changes).filter((name) => changes[name] !== undefined);
  const entries = Object.entries(row).map(([name, value]) => {
    if (!(name in changes) || changes[name] !== undefined) return [name, value];
    return [added.find((other) => changes[other] === value) ?? name, value];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** An outcome, or the message of the error that fails the sample. */
function outcomeOf(each: (text: string) => Outcome, text: string): Outcome | string {
  try {
    return each(text);
  } catch (error) {
    if (error instanceof Error && !(error instanceof TypeError)) return error.message;
    throw error;
  }
}

/** The outcome in the form used by examples. */
function shownOf(operator: SampleOperator, input: string, outcome: Outcome): unknown {
  if (!operator.reads.includes('columns')) return shown(outcome);
  if (Array.isArray(outcome)) return outcome.map((sample: object) => rowOf(input, sample));
  if ('verdict' in outcome)
    return outcome.verdict === 'drop' ? { drop: outcome.reason.text } : rowOf(input, outcome.sample);
  return rowOf(input, outcome as { columns?: Readonly<Record<string, unknown>> });
}

function shown(outcome: Outcome): unknown {
  if (Array.isArray(outcome)) return outcome.map((sample: { text: string }) => sample.text);
  if ('verdict' in outcome) return outcome.verdict === 'drop' ? { drop: outcome.reason.text } : outcome.sample.text;
  return 'text' in outcome ? outcome.text : undefined;
}

function accepted(operator: Operator, params: unknown): { params: Readonly<Record<string, unknown>> } {
  const parsed = parseParams(operator, params);
  if (!parsed.ok) throw new Error(`${parsed.field} ${parsed.problem.text}`);
  return parsed;
}

/** The outcome of each text of a whole set; `{sample 1}` stands for the first one. */
function judgedTogether(
  operator: SetOperator,
  given: unknown,
  texts: readonly string[],
): (string | { drop: string })[] {
  const whole = operator.all(accepted(operator, given).params);
  const signed = texts.map((text) => {
    const keys = new Uint32Array(whole.keys);
    const words = new Uint32Array(whole.words);
    whole.sign(operator.reads.includes('columns') ? { columns: columnsOf(text), text } : { text }, keys, words, '');
    return { keys, words };
  });
  const outcome: (string | { drop: string })[] = [...texts];
  const signatures: Signatures = {
    references: 0,
    count: texts.length,
    column: (key) => Uint32Array.from(signed, ({ keys }) => keys[key] ?? 0),
    read(index, target) {
      target.set(signed[index]?.words ?? []);
    },
  };
  const drop = ({ index, of, reason }: SetDrop): void => {
    outcome[index] = { drop: reason(`{sample ${of + 1}}`).text };
  };
  const write = ({ index, columns }: SetWrite): void => {
    outcome[index] = rowOf(texts[index] ?? '', { columns });
  };
  whole.reduce(signatures, drop, () => {}, write);
  return outcome;
}

/** The score of an outcome, and whether the sample was kept. */
function scoreOf(outcome: Outcome): [score: number, kept: boolean] {
  assert.ok('verdict' in outcome && outcome.score !== undefined);
  return [outcome.score, outcome.verdict === 'keep'];
}

function rangeOf(operator: SampleOperator, param: string): { minimum?: number; maximum?: number; type?: string } {
  return operator.params.properties[param] as { minimum?: number; maximum?: number; type?: string };
}

/** Sets every threshold to the value that lets everything pass. */
function loosest(operator: SampleOperator): Record<string, number> {
  const entries = (operator.thresholds ?? []).map(({ param, direction }): [string, number] => {
    const { minimum = 0, maximum = 1 } = rangeOf(operator, param);
    return [param, direction === 'min' ? minimum : maximum];
  });
  return Object.fromEntries(entries);
}

for (const operator of operators) {
  if (!isSampleOperator(operator) || operator.reads.includes('media')) continue;
  for (const example of operator.examples) {
    test(`${operator.id}: ${example.title}`, () => {
      const outcome = prepared(operator, example.params, example.references)(example.input);
      assert.deepEqual(shownOf(operator, example.input, outcome), example.output);
    });
  }

  test(`${operator.id} gives the same outcome twice, and takes any string`, () => {
    const each = prepared(operator, {});
    fc.assert(
      fc.property(anyText(), (text) => {
        assert.deepEqual(outcomeOf(each, text), outcomeOf(each, text));
      }),
    );
  });

  if (operator.thresholds !== undefined) {
    const { thresholds } = operator;

    test(`${operator.id} judges by its score and its thresholds alone`, () => {
      let seen = 0;
      const words = fc.array(fc.constantFrom('a', 'word', 'Word', '高', '\n', '!!!', '12', ' '), { maxLength: 40 });
      fc.assert(
        fc.property(words, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
          const text = parts.join(' ');
          const { params: defaults } = accepted(operator, {});
          const [score] = scoreOf(operator.each(defaults)({ text }));
          assert.ok(Number.isFinite(score), 'a filter with thresholds scores every sample');
          for (const { param, direction } of thresholds) {
            const { minimum = 0, maximum = 1, type } = rangeOf(operator, param);
            for (const bound of [score, score * share, score * (1 + share)]) {
              const limit = Math.min(maximum, Math.max(minimum, type === 'integer' ? Math.round(bound) : bound));
              const parsed = parseParams(operator, { ...loosest(operator), [param]: limit });
              if (!parsed.ok) continue;
              const [again, kept] = scoreOf(operator.each(parsed.params)({ text }));
              assert.equal(again, score);
              assert.equal(kept, direction === 'min' ? score >= limit : score <= limit);
              seen += 1;
            }
          }
        }),
      );
      assert.ok(seen > 0);
    });
  }

  // Extracted text has another format than its source.
  const isExtractor = operator.categories.includes('extraction');
  if (operator.kind === 'MAPPER' && operator.reads.includes('text') && !isExtractor) {
    test(`${operator.id} has nothing left to do on its own result`, () => {
      const each = prepared(operator, {});
      const blanks = fc.constantFrom(
        ' ',
        '\t',
        '\n',
        '\r',
        '\f',
        '\u0085',
        '\u00a0',
        '\u2028',
        '\u2029',
        '\u200b',
        'a',
        '\u0000',
      );
      fc.assert(
        fc.property(fc.string({ unit: blanks }), (text) => {
          const once = shown(each(text));
          assert.ok(typeof once === 'string');
          assert.equal(shown(each(once)), once);
        }),
      );
    });
  }
}

for (const operator of operators) {
  if (!isBatchOperator(operator) || !asksModels(operator)) continue;
  for (const { title, params, input, output, replies = [] } of operator.examples) {
    test(`${operator.id}: ${title}`, async () => {
      const { effects, asked } = scriptedModel(replies);
      const runner = operator.batch(accepted(operator, params).params, effects);
      const [outcome] = await runner.run([{ text: input }], new AbortController().signal);
      assert.ok(outcome !== undefined && !(outcome instanceof Error));
      assert.deepEqual(shown(outcome), output);
      assert.equal(asked.length, replies.length);
    });
  }
}

for (const operator of operators) {
  if (isSetOperator(operator) && !operator.reads.includes('media')) {
    for (const { title, params, inputs, outputs } of operator.setExamples) {
      test(`${operator.id}: ${title}`, () => {
        assert.deepEqual(judgedTogether(operator, params, inputs), outputs);
      });
    }

    test(`${operator.id} takes any strings, gives the same outcome twice, and keeps the first of two`, () => {
      fc.assert(
        fc.property(fc.array(anyText(), { minLength: 1, maxLength: 10 }), (texts) => {
          // A step that only reads columns fails if no sample has its column.
          const inputs = operator.reads.includes('text')
            ? texts
            : texts.map((text) => JSON.stringify({ label: 1, text }));
          const [first = '', ...others] = [...inputs, ...inputs];
          const outcome = judgedTogether(operator, {}, [first, ...others]);
          assert.deepEqual(judgedTogether(operator, {}, [first, ...others]), outcome);
          if (operator.writes.length === 0) assert.equal(outcome[0], first);
          if (operator.finds === undefined) return;
          for (let at = texts.length; at < outcome.length; at += 1) {
            assert.ok(typeof outcome[at] === 'object', 'what came before is a duplicate');
          }
        }),
      );
    });
  }

  test(`${operator.id} is documented`, () => {
    assert.match(operator.id, /^[a-z]+(-[a-z]+)+$/);
    assert.match(operator.version, /^\d+\.\d+\.\d+$/);
    assert.ok(operator.name !== '' && operator.description.endsWith('.'));
    assert.ok(operator.examples.length > 0);
    for (const [name, schema] of Object.entries(operator.params.properties)) {
      assert.ok('title' in schema && 'description' in schema, `${name} has a title and a description`);
      assert.ok('default' in schema, `${name} has a default`);
    }
  });
}

test('ids are unique', () => {
  assert.equal(new Set(operators.map(({ id }) => id)).size, operators.length);
});
