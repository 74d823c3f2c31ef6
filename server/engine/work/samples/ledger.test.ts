import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createByteCollector } from '../byte-collector.ts';
import { createLedgerWriter } from './ledger.ts';
import { foreign, inputProblems, type Sentence } from '../../../kernel/sentences/index.ts';
import { isMatch, linesOf, noCode, placesOf, toLedgerEntry } from '../../orders/ledger-entry.ts';
import { createLineWriter } from './line-writer.ts';

const written = (value: number): string => {
  const target = createByteCollector(64);
  const writer = createLineWriter(target);
  writer.number(value);
  writer.flush();
  return Buffer.from(target.take()).toString('latin1');
};

test('numbers are written in the digits of JSON', () => {
  const special = [
    0,
    -0,
    1,
    9,
    10,
    0.1,
    0.5,
    0.1235,
    0.0001,
    0.00005,
    1e-7,
    214_748.3647,
    214_748.3648,
    2 ** 31,
    1e21,
    -1,
  ];
  for (const value of special) assert.equal(written(value), JSON.stringify(value));
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (value) => written(value) === JSON.stringify(value),
    ),
  );
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(1, 10, 100, 1e3, 1e4, 1e5),
      (whole, parts) => written(whole / parts) === JSON.stringify(whole / parts),
    ),
  );
});

test('lines of a ledger are read as they were written, short and long ones in turn', () => {
  const score = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(10_000).map((part) => part / 10_000),
    fc.nat(),
    fc.constant(NaN),
  );
  const line = fc.record({
    piece: fc.nat(200),
    row: fc.option(fc.nat(1_000_000)),
    verdict: fc.constantFrom('KEPT', 'CHANGED', 'DROPPED', 'FAILED'),
    step: fc.option(fc.nat(12)),
    reason: fc.option(
      fc.oneof(
        fc.string().map(foreign),
        fc.string().map((why) => inputProblems.LINE_NOT_JSON.reason({ why })),
      ),
    ),
    scores: fc.option(
      fc.uniqueArray(fc.record({ step: fc.constantFrom(0, 3, 11), score }), {
        minLength: 1,
        selector: ({ step }) => step,
      }),
    ),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 1500, size: 'max' }), (lines) => {
      const writer = createLedgerWriter();
      for (const { piece, row, scores, ...judgement } of lines) {
        writer.write(piece, row, {
          ...judgement,
          scores: scores?.toSorted((one, other) => one.step - other.step) ?? null,
        });
      }
      const expected = lines.map(({ piece, row, verdict, step, reason, scores }) => {
        const record = scores === null ? null : Object.fromEntries(scores.map((one) => [one.step, one.score]));
        const sentence = reason === null ? null : (reason.sentence ?? 'others');
        const text = reason?.text ?? null;
        const values: unknown[] = [piece, row, verdict, step, text, record, null, null, null, null, sentence];
        while (values.at(-1) === null) values.pop();
        return JSON.stringify(values);
      });
      assert.deepEqual(
        linesOf(writer.take()).map((found) => JSON.stringify(found)),
        expected,
      );
      assert.equal(writer.lines, lines.length);
    }),
    { numRuns: 25 },
  );
});

test('a reason keeps its sentence, words of others have none, and a line of an earlier release is read by its words', () => {
  const rounded = inputProblems.ROW_CELLS({ cells: 5, columns: 4 });
  const sentence: Sentence = { code: 'ROW_CELLS', params: { cells: 5, columns: 4 } };
  const writer = createLedgerWriter();
  const dropped = { verdict: 'DROPPED', step: 0, scores: null } as const;
  writer.write(0, 0, { ...dropped, reason: { text: rounded, sentence } });
  writer.write(0, 1, { ...dropped, reason: { text: 'reworded since', sentence } });
  writer.write(0, 2, { ...dropped, reason: foreign(rounded), field: 'answer' });
  writer.write(0, 3, { verdict: 'KEPT', step: null, reason: null, scores: null });
  assert.deepEqual(
    writer.verdicts().map(({ code, count }) => [code, count]),
    [
      ['ROW_CELLS', 2],
      [null, 1],
      [null, 1],
    ],
  );
  const earlier = Buffer.from(`${JSON.stringify([0, 4, 'DROPPED', 0, rounded])}\n`);
  const places = [...placesOf(Buffer.concat([writer.take(), earlier]))];
  const shard = { shardNo: 0, pieces: '[]', firstRow: 0, firstLine: 0 };
  const entries = places.map((place) => toLedgerEntry(place, shard, [], []));
  assert.deepEqual(
    entries.map((entry) => [entry.field, entry.reason, entry.sentence]),
    [
      [null, rounded, sentence],
      [null, 'reworded since', sentence],
      ['answer', rounded, null],
      [null, null, undefined],
      [null, rounded, undefined],
    ],
  );
  const rowsOf = (reasonCode: string) => entries.flatMap((entry, at) => (isMatch(entry, { reasonCode }) ? [at] : []));
  assert.deepEqual([rowsOf('ROW_CELLS'), rowsOf(noCode)], [[0, 1, 4], [2]]);
  // A process of an earlier release reads ten elements; a line of a sample that is kept has no more.
  assert.deepEqual(places[0]?.line.slice(0, 10), [0, 0, 'DROPPED', 0, rounded, null, null, null, null, null]);
  assert.deepEqual(places[3]?.line, [0, 3, 'KEPT']);
});
