import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from '../kernel/json-text.ts';
import { beginsArray, createArrayScanner, findElementCuts, firstElements, type ArrayElement } from './json-array.ts';
import type { ReadAt } from './lines.ts';

type Found = {
  texts: string[];
  leads: string[];
  closedAt: number | undefined;
  problem: string | undefined;
  rest: string;
};

function scan(text: string, step = 1 << 20): Found {
  const bytes = Buffer.from(text);
  const scanner = createArrayScanner(0);
  const elements: ArrayElement[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    scanner.push(bytes.subarray(at, at + step), (element) => elements.push(element));
  }
  const { closedAt, broken } = scanner.end(true);
  return {
    texts: elements.map(({ start, end }) => bytes.subarray(start, end).toString()),
    leads: elements.map(({ lead, start }) => bytes.subarray(lead, start).toString()),
    closedAt,
    problem: broken?.problem,
    rest: broken === undefined ? '' : bytes.subarray(broken.from).toString(),
  };
}

test('elements are found with the commas before them, however the bytes are cut', () => {
  const text = String.raw`[ {"a": "]},\"\\"},  {"b":[1,{"c":"\\\\"}]} ,7 , "x\"y", null ]
`;
  const expected = {
    texts: [String.raw`{"a": "]},\"\\"}`, String.raw`{"b":[1,{"c":"\\\\"}]}`, '7', String.raw`"x\"y"`, 'null'],
    leads: ['', ',  ', ' ,', ' , ', ', '],
    closedAt: text.lastIndexOf(']'),
    problem: undefined,
    rest: '',
  };
  for (const step of [1, 2, 3, 5, 1 << 20]) assert.deepEqual(scan(text, step), expected);
});

test('any array is taken apart, and its parts are its bytes', () => {
  const values = fc.array(fc.jsonValue(), { maxLength: 8 });
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 9 }), (array, indent, step) => {
      const text = JSON.stringify(array, undefined, indent);
      const { texts, problem, closedAt } = scan(text, step);
      assert.equal(problem, undefined);
      assert.equal(closedAt, Buffer.byteLength(text) - 1);
      assert.deepEqual(texts.map(parseJsonText), parseJsonText(text));
    }),
  );
});

test('where an array breaks off, the elements before are found and the rest is told', () => {
  const cases: [text: string, elements: number, rest: string, problem: RegExp][] = [
    ['[{"a":1},{"b":', 1, ',{"b":', /not closed/],
    ['[{"a":1}', 1, '', /not closed/],
    ['[{"a":"x', 0, '{"a":"x', /not closed/],
    ['[{"a":1} {"b":2}]', 1, ' {"b":2}]', /comma is missing/],
    ['[{"a":1},,{"b":2}]', 1, ',,{"b":2}]', /element is missing/],
    ['[{"a":1},]', 1, ',]', /element is missing/],
    ['[{"a":1}]\n{"b":2}', 1, '\n{"b":2}', /other bytes follow/],
  ];
  for (const [text, count, rest, problem] of cases) {
    for (const step of [1, 1 << 20]) {
      const found = scan(text, step);
      assert.deepEqual([text, found.texts.length, found.rest], [text, count, rest]);
      assert.match(found.problem ?? '', problem);
    }
  }
});

test('an array is cut behind elements, and a long one is a part of its own', () => {
  const long = `{"a":"${'x'.repeat(100)}"}`;
  const text = `[{"a":1},{"a":2},${long},{"a":3},{"a":4}]`;
  const bytes = Buffer.from(text);
  const read: ReadAt = (target, position) => bytes.copy(target, 0, position);
  const { cuts, end } = findElementCuts(read, { sizeBytes: bytes.length, markBytes: 0, maxRowBytes: 50 }, 12);
  const parts = [0, ...cuts].map((at, index) => text.slice(at, [...cuts, text.length][index]));
  assert.deepEqual(parts, ['[{"a":1},{"a":2}', `,${long}`, ',{"a":3}', ',{"a":4}]']);
  assert.equal(end.closedAt, text.length - 1);
});

test('arrays of objects are told from other JSON by their beginning', () => {
  for (const text of ['[{', ' [\n {"a"', '[]', '[ ]']) assert.equal(beginsArray(Buffer.from(text)), true, text);
  for (const text of ['{"a":[]}', '[1,2]', '["a"]', '', '[[{}]]'])
    assert.equal(beginsArray(Buffer.from(text)), false, text);
  const head = Buffer.from('[{"a":1},{"b":2},{"c');
  const { elements, isAll, broken } = firstElements(head, 10);
  assert.deepEqual([isAll, broken], [false, undefined]);
  assert.match(firstElements(head, 10, true).broken?.problem ?? '', /not closed/);
  const two = Buffer.from('[{"a":1},{"b":2}]');
  assert.deepEqual([firstElements(two, 2, true).isAll, firstElements(two, 1, true).isAll], [true, false]);
  assert.deepEqual(
    elements.map((one) => Buffer.from(one).toString()),
    ['{"a":1}', '{"b":2}'],
  );
});
