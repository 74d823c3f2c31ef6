import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { isBeyondDouble } from '../../kernel/exact-json.ts';
import { isHeld } from './held-digits.ts';

const isHeldIn = (number: string): boolean => isHeld(Buffer.from(`[${number}]`), 1, 1 + number.length);

test('no fraction passes whose double is written otherwise', () => {
  const random = seededRandom(20_261_126);
  let beyond = 0;
  for (let count = 0; count < 200_000; count += 1) {
    const whole = random.integer(6);
    const number = `${BigInt(random.digits(whole))}.${random.digits(16 + random.integer(2) - whole)}`;
    if (!isBeyondDouble(Number(number), number)) continue;
    beyond += 1;
    assert.equal(isHeldIn(number), false, number);
  }
  assert.ok(beyond > 50_000, String(beyond));
});

test('nearly all doubles pass in the digits that they are written in', () => {
  const random = seededRandom(7);
  let held = 0;
  for (let count = 0; count < 100_000; count += 1) {
    const double = Number(`${random.integer(1_000)}.${random.digits(20)}`) / 10 ** random.integer(4);
    for (const number of [String(double), double.toPrecision(17)]) if (isHeldIn(number)) held += 1;
  }
  assert.ok(held > 199_900, String(held));
});

test('digits that every double holds pass', () => {
  for (const number of ['0.1', '123456789.012345', '0.00000000000000', '0.01234567890123456', '9.000000000000000'])
    assert.ok(isHeldIn(number), number);
});
