import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from '../kernel/json-text.ts';
import { inputProblems } from '../kernel/sentences/index.ts';
import { firstRows, parseRow, partsOf, openSplice } from './jsonl.ts';
import { guessTextField } from './text-field.ts';
import { anyText } from '../../tests/support/any-text.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text);

test('parts: LF, CRLF, blank lines, a byte order mark and a last line without an end', () => {
  const text = '\ufeff{"a":1}\r\n\n  \r\n{"b":2}\n{"c":3}';
  const bytes = bytesOf(text);
  const parts = [...partsOf(bytes, true)].map(({ kind, start, end, next }) => [
    kind,
    bytes.subarray(start, end).toString(),
    bytes.subarray(end, next).toString(),
  ]);
  assert.deepEqual(parts, [
    ['filler', '\ufeff', ''],
    ['row', '{"a":1}', '\r\n'],
    ['filler', '', '\n'],
    ['filler', '  ', '\r\n'],
    ['row', '{"b":2}', '\n'],
    ['row', '{"c":3}', ''],
  ]);
});

const spliced: readonly [title: string, row: string, field: string, text: string, expected: string][] = [
  [
    'numbers and spacing stay',
    '{ "id" : 1.0e+02, "text" : "old" ,"n":-0 }',
    'text',
    'new',
    '{ "id" : 1.0e+02, "text" : "new" ,"n":-0 }',
  ],
  [
    "the same name deeper inside isn't it",
    '{"a":{"text":"x"},"b":[{"text":"y"}],"text":"old"}',
    'text',
    'new',
    '{"a":{"text":"x"},"b":[{"text":"y"}],"text":"new"}',
  ],
  [
    'braces and quotes in strings',
    '{"a":"}\\"{[","text":"o\\\\","z":"\\\\"}',
    'text',
    'n"',
    '{"a":"}\\"{[","text":"n\\"","z":"\\\\"}',
  ],
  ['a value that looks like the name', '{"a":"text","text":"old"}', 'text', 'new', '{"a":"text","text":"new"}'],
  ['a name written with escapes', '{"te\\u0078t":"old"}', 'text', 'new', '{"te\\u0078t":"new"}'],
  ['of equal names the last', '{"text":"first","text":"old"}', 'text', 'new', '{"text":"first","text":"new"}'],
  ['beyond ASCII', '{"文":"高","x":"ü"}', '文', '低 "é"', '{"文":"低 \\"é\\"","x":"ü"}'],
  ['ASCII escapes stay ASCII', '{"text":"\\u9ad8 a","x":1}', 'text', '低 é', '{"text":"\\u4f4e \\u00e9","x":1}'],
  ['a lone surrogate', '{"text":"\\ud800 a"}', 'text', '\ud800 b', '{"text":"\\ud800 b"}'],
  ['an empty text', '{"text":"old"}', 'text', '', '{"text":""}'],
];
for (const [title, row, field, text, expected] of spliced) {
  test(`splice: ${title}`, () => {
    assert.equal(Buffer.from(openSplice(bytesOf(row), field)(text)).toString(), expected);
  });
}

test('splice refuses a row without that string', () => {
  assert.throws(() => openSplice(bytesOf('{"text":"a","text":1}'), 'text'), /has no string "text"/);
});

/** Any JSON value written with any spacing, escapes and number format. */
const { written } = fc.letrec<{ written: string; text: string; blank: string }>((tie) => ({
  blank: fc.constantFrom('', '', ' ', '  ', '\t'),
  text: fc.oneof(
    anyText().map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '"\\u0041\\/"',
      '"\\ud83d\\ude00"',
      '"\\udc00"',
      '"{\\"text\\":\\"x\\"}"',
      '"text"',
      '"te\\u0078t"',
    ),
  ),
  written: fc.oneof(
    { maxDepth: 3 },
    tie('text'),
    fc.constantFrom('1.0', '1E5', '-0', '0.10', '12345678901234567890', 'true', 'false', 'null'),
    fc
      .array(fc.tuple(tie('blank'), tie('written'), tie('blank')), { maxLength: 4 })
      .map((items) => `[${items.map((parts) => parts.join('')).join(',')}]`),
    fc
      .array(
        fc.tuple(tie('blank'), tie('text'), tie('blank'), fc.constant(':'), tie('blank'), tie('written'), tie('blank')),
        { maxLength: 4 },
      )
      .map((items) => `{${items.map((parts) => parts.join('')).join(',')}}`),
  ),
}));

test('splice: whatever surrounds the value, only its bytes change', () => {
  const member = fc.tuple(
    anyText().filter((name) => name !== 'text'),
    written,
  );
  const members = fc.array(
    member.map(([name, value]) => `${JSON.stringify(name)}: ${value}`),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(members, members, anyText(), anyText(), (before, after, old, text) => {
      const head = `{${before.map((item) => `${item} , `).join('')}"text"\t: `;
      const tail = `${after.map((item) => ` ,${item}`).join('')} }`;
      const row = bytesOf(head + JSON.stringify(old) + tail);
      const parsed = parseRow(row);
      assert.ok(parsed.ok);
      assert.equal(parsed.row['text'], old);
      const result = Buffer.from(openSplice(row, 'text')(text));
      assert.deepEqual(result.subarray(0, Buffer.byteLength(head)), bytesOf(head));
      assert.deepEqual(result.subarray(result.length - Buffer.byteLength(tail)), bytesOf(tail));
      assert.deepEqual(parseJsonText(result.toString()), { ...parsed.row, text });
    }),
    { numRuns: 500 },
  );
});

const unreadable: readonly [title: string, bytes: Buffer, reason: RegExp][] = [
  ['cut off', bytesOf('{"text":"a'), /^the line is not JSON: /],
  ['two rows in one line', bytesOf('{"a":1}{"a":2}'), /^the line is not JSON: /],
  ['a list', bytesOf('[1]'), /^the line is not a JSON object$/],
  ['null', bytesOf('null'), /^the line is not a JSON object$/],
  ['a number', bytesOf('1'), /^the line is not a JSON object$/],
  ['Latin-1', Buffer.from('{"text":"é"}', 'latin1'), /^INVALID_ENCODING: the line is not valid UTF-8$/],
];
for (const [title, bytes, reason] of unreadable) {
  test(`a row that can't be read: ${title}`, () => {
    const parsed = parseRow(bytes);
    assert.ok(!parsed.ok);
    assert.match(parsed.reason.text, reason);
  });
}

test('deep nesting is read, and spliced', () => {
  const deep = `${'['.repeat(499)}${']'.repeat(499)}`;
  const row = bytesOf(`{"deep":${deep},"text":"old"}`);
  assert.ok(parseRow(row).ok);
  assert.equal(Buffer.from(openSplice(row, 'text')('new')).toString(), `{"deep":${deep},"text":"new"}`);
});

const guesses: readonly [rows: string, guess: unknown][] = [
  ['{"id":1,"text":"a","title":"b"}\n', { ok: true, field: 'text' }],
  ['{"id":1,"body":"a"}\n{"id":2,"body":null}\n', { ok: true, field: 'body' }],
  ['{"title":"a"}\n{"body":"b"}\n', { ok: false, candidates: ['body', 'title'] }],
  ['{"text":1}\n', { ok: false, candidates: [] }],
  ['broken\n{"a":"x"}\n{"b":"cut off"', { ok: true, field: 'a' }],
  ['broken\n', undefined],
  ['', undefined],
];
for (const [rows, guess] of guesses) {
  test(`text column of ${JSON.stringify(rows)}`, () => {
    assert.deepEqual(guessTextField(firstRows(bytesOf(rows), false, 100)), guess);
  });
}

test('a last row without its line end counts when the file ends there', () => {
  assert.deepEqual([...firstRows(bytesOf('{"a":1}'), true, 100)], [{ a: 1 }]);
  assert.deepEqual([...firstRows(bytesOf('{"a":1}'), false, 100)], []);
});

test('a row that is nested too deeply is a bad one, whatever its texts hold', () => {
  const nested = (depth: number): Buffer =>
    bytesOf(`{"a":${'['.repeat(depth)}"${'{'.repeat(2_000)}"${']'.repeat(depth)}}`);
  assert.ok(parseRow(nested(499)).ok);
  const reason = inputProblems.LINE_NESTED_TOO_DEEPLY.reason({ limit: 500 });
  assert.deepEqual(parseRow(nested(500)), { ok: false, reason });
  assert.deepEqual(parseRow(nested(100_000), 'element'), {
    ok: false,
    reason: inputProblems.ELEMENT_NESTED_TOO_DEEPLY.reason({ limit: 500 }),
  });
  assert.ok(parseRow(bytesOf(`{"a":[${'[],'.repeat(2_000)}1]}`)).ok, 'beside each other, not within');
});
