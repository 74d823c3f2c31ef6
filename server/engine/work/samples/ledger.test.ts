import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createByteCollector } from '../byte-collector.ts';
import { createLedgerWriter } from './ledger.ts';
import { linesOf } from '../../orders/ledger-entry.ts';
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
    reason: fc.option(fc.string()),
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
        const values: unknown[] = [piece, row, verdict, step, reason, record];
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
