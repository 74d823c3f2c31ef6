import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findTexts, findValues, isColumnName, leadsToSeveral, parseFieldPath, showPath } from './field-paths.ts';

const row = {
  text: 'a',
  doc: { text: 'b', 'x.y': 'c', n: 1 },
  'doc.title': 'd',
  messages: [
    { role: 'system', content: 'e' },
    { role: 'user', content: 'f' },
    { role: 'assistant', content: null },
    { role: 'assistant', content: 'g' },
  ],
  empty: [],
  parts: [[{ t: 'h' }], [], [{ t: 'i' }, { t: 'j' }]],
  none: null,
};

const found: [path: string, texts: [field: string, text: string][]][] = [
  ['text', [['text', 'a']]],
  ['doc.text', [['doc.text', 'b']]],
  ['doc["x.y"]', [['doc["x.y"]', 'c']]],
  ['["doc"].text', [['doc.text', 'b']]],
  ['doc.title', [['["doc.title"]', 'd']]],
  ['messages[1].content', [['messages[1].content', 'f']]],
  [
    'messages[*].content',
    [
      ['messages[0].content', 'e'],
      ['messages[1].content', 'f'],
      ['messages[3].content', 'g'],
    ],
  ],
  ['messages[role=assistant].content', [['messages[3].content', 'g']]],
  ['messages[role="user"].content', [['messages[1].content', 'f']]],
  ['messages[role=tool].content', []],
  ['empty[*].content', []],
  [
    'parts[*][*].t',
    [
      ['parts[0][0].t', 'h'],
      ['parts[2][0].t', 'i'],
      ['parts[2][1].t', 'j'],
    ],
  ],
];
for (const [path, texts] of found) {
  test(`${path} leads to its texts`, () => {
    const answer = findTexts(row, [parseFieldPath(path)]);
    assert.ok(!('problem' in answer));
    assert.deepEqual(
      answer.map(({ field, text }) => [field, text]),
      texts,
    );
  });
}

const missing: [path: string, problem: string][] = [
  ['title', '"title" is missing'],
  ['doc.body', '"doc.body" is missing'],
  ['text.body', '"text.body" is missing'],
  ['doc.n', '"doc.n" is not a string'],
  ['none', '"none" is not a string'],
  ['none.text', '"none.text" is missing'],
  ['doc[*].text', '"doc" is no list'],
  ['turns[*].text', '"turns" is missing'],
  ['messages[9].content', '"messages[9].content" is missing'],
  ['messages[*].text', '"messages[0].text" is missing'],
  ['toString', '"toString" is missing'],
  ['a[', '"[\\"a[\\"]" is missing'],
];
for (const [path, problem] of missing) {
  test(`${path} leads nowhere`, () => {
    const found = findTexts(row, [parseFieldPath(path)]);
    assert.ok('problem' in found);
    assert.equal(found.problem.text, problem);
  });
}

const parts = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'input_text', text: 'b' },
        { type: 'text', text: null },
      ],
    },
    { role: 'assistant', content: 'c', calls: [{ type: 'function', function: {} }] },
    { role: 'tool', content: [] },
    { role: 'user', content: [{ type: 'image' }] },
  ],
  content: [{ type: 'text', text: 'd' }, { type: 'image' }],
  'a.b': [{ type: 'text', text: 'e' }],
};
const ofParts: [path: string, found: string | [field: string, text: string][]][] = [
  [
    'messages[*].content',
    [
      ['messages[0].content[0].text', 'a'],
      ['messages[0].content[2].text', 'b'],
      ['messages[1].content', 'c'],
    ],
  ],
  ['messages[role=tool].content', []],
  ['messages[role=assistant].calls', '"messages[1].calls" is not a string'],
  ['content', '"content" is a list of parts, not a string; choose content[type=text].text'],
  ['content[type=text].text', [['content[0].text', 'd']]],
  ['["a.b"]', '"[\\"a.b\\"]" is a list of parts, not a string; choose ["a.b"][type=text].text'],
  ['["a.b"][type=text].text', [['["a.b"][0].text', 'e']]],
];
for (const [path, expected] of ofParts) {
  test(`${path} leads to the texts of parts`, () => {
    const answer = findTexts(parts, [parseFieldPath(path)]);
    assert.deepEqual(
      'problem' in answer ? answer.problem.text : answer.map(({ field, text }) => [field, text]),
      expected,
    );
  });
}

test('chat messages that call a tool need no content; others do', () => {
  const contents = (...messages: object[]): unknown => {
    const found = findTexts({ messages }, [parseFieldPath('messages[*].content')]);
    return 'problem' in found ? found.problem.text : found.map(({ text }) => text);
  };
  const asked = { role: 'user', content: 'a' };
  const calls = [
    { tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { function_call: { name: 'f', arguments: '{}' } },
    { refusal: 'no' },
    { audio: { id: '1' } },
    { tool_calls: [], content: null },
  ];
  for (const call of calls)
    assert.deepEqual(contents(asked, { role: 'assistant', ...call }), ['a'], JSON.stringify(call));
  assert.deepEqual(contents({ role: 'assistant', ...calls[0] }), []);
  assert.deepEqual(contents(asked, { role: 'assistant', ...calls[0], content: 'b' }), ['a', 'b']);
  const missing = '"messages[1].content" is missing';
  for (const message of [{ role: 'assistant' }, { tool_calls: null }, { contnet: 'b' }, { tool_call_id: '1' }])
    assert.equal(contents(asked, message), missing, JSON.stringify(message));
});

test('two paths to the same place are one text', () => {
  const texts = findTexts(row, ['messages[*].content', 'messages[role=user].content', 'text'].map(parseFieldPath));
  assert.ok(!('problem' in texts));
  assert.deepEqual(texts.map(({ text }) => text).join(''), 'efga');
});

test('any name can be written as a path', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }), (names) => {
      const nested = names.reduceRight<unknown>((value, name) => ({ [name]: value, other: 1 }), 'found');
      const answer = findTexts(nested as Record<string, unknown>, [parseFieldPath(showPath(names))]);
      if (names.includes('__proto__')) return;
      assert.ok(!('problem' in answer), JSON.stringify(answer));
      assert.equal(answer[0]?.text, 'found');
    }),
  );
});

test('what kind of path it is', () => {
  const isPlain = (path: string): boolean => isColumnName(parseFieldPath(path));
  assert.deepEqual(['text', 'My text', 'Text [en]', 'a..b', '', 'doc.text', 'a[0]', '["a.b"]'].map(isPlain), [
    true,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  const isSeveral = (path: string): boolean => leadsToSeveral(parseFieldPath(path));
  assert.deepEqual(['a.b', 'a[0]', 'a[*]', 'a[b=c]'].map(isSeveral), [false, false, true, true]);
});

test('values of any kind are found', () => {
  assert.deepEqual(findValues(row, parseFieldPath('messages[*].role')), ['system', 'user', 'assistant', 'assistant']);
  assert.deepEqual(findValues(row, parseFieldPath('doc.n')), [1]);
  assert.deepEqual(findValues(row, parseFieldPath('doc.m')), []);
});
