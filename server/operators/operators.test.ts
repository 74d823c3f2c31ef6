import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { operators, parseParams, type Operator, type Outcome } from './index.ts';

function prepared(operator: Operator, params: unknown): (text: string) => Outcome {
  const parsed = parseParams(operator, params);
  if (!parsed.ok) throw new Error(`${parsed.field} ${parsed.problem}`);
  const each = operator.each(parsed.params);
  return (text) => each({ text });
}

/** The outcome in the form that examples have. */
function shown(outcome: Outcome): unknown {
  if (Array.isArray(outcome)) return outcome.map((sample: { text: string }) => sample.text);
  if ('verdict' in outcome) return outcome.verdict === 'drop' ? { drop: outcome.reason } : outcome.sample.text;
  return 'text' in outcome ? outcome.text : undefined;
}

for (const operator of operators) {
  for (const example of operator.examples) {
    test(`${operator.id}: ${example.title}`, () => {
      assert.deepEqual(shown(prepared(operator, example.params)(example.input)), example.output);
    });
  }

  test(`${operator.id} is documented`, () => {
    assert.match(operator.id, /^[a-z]+(-[a-z]+)+$/);
    assert.match(operator.version, /^\d+\.\d+\.\d+$/);
    assert.ok(operator.name !== '' && operator.description.endsWith('.'));
    assert.ok(operator.examples.length > 0);
    for (const [name, schema] of Object.entries(operator.params.properties)) {
      assert.ok('description' in schema && 'default' in schema, `${name} has a description and a default`);
    }
  });

  test(`${operator.id} gives the same outcome twice, and takes any string`, () => {
    const each = prepared(operator, {});
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.deepEqual(each(text), each(text));
      }),
    );
  });

  if (operator.kind === 'MAPPER') {
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

test('ids are unique', () => {
  assert.equal(new Set(operators.map(({ id }) => id)).size, operators.length);
});

const filter = operators.find(({ id }) => id === 'text-length-filter');

const refused: readonly [title: string, params: unknown, field: string, problem: RegExp][] = [
  ['below its range', { min: -1 }, 'min', /^must be at least 0$/],
  ['another type', { min: '1' }, 'min', /^must be an integer$/],
  ['null', { max: null }, 'max', /^must be an integer$/],
  ['a relation', { min: 5, max: 4 }, 'min', /^must not be greater than max/],
  ['no object', [], '', /^must be an object$/],
];
for (const [title, params, field, problem] of refused) {
  test(`parameters are refused: ${title}`, () => {
    assert.ok(filter !== undefined);
    const parsed = parseParams(filter, params);
    assert.ok(!parsed.ok);
    assert.equal(parsed.field, field);
    assert.match(parsed.problem, problem);
  });
}

test('parameters: defaults come in, unknown fields go, the caller keeps what it had', () => {
  assert.ok(filter !== undefined);
  const given = { min: 2, other: 1 };
  assert.deepEqual(parseParams(filter, given), { ok: true, params: { min: 2, max: 1_000_000_000 } });
  assert.deepEqual(given, { min: 2, other: 1 });
});
