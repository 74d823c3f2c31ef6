import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../../../tests/support/long-tests.ts';
import { maskCardNumbers } from './card-numbers.ts';
import { maskChineseIds } from './chinese-id-masker.ts';
import { createDigitRunReplacer } from './digit-runs.ts';
import { maskIbans } from './iban-masker.ts';
import { maskPhoneNumbersOf } from './local-phone-numbers.ts';
import type { Masker } from './masker.ts';
import { maskPassportNumbers } from './passport-masker.ts';
import { maskPhoneNumbers } from './phone-numbers.ts';
import { maskSocialSecurityNumbers } from './us-ssn-masker.ts';

const maskers: Readonly<Record<string, Masker>> = {
  card: maskCardNumbers,
  ssn: maskSocialSecurityNumbers,
  id: maskChineseIds,
  phone: maskPhoneNumbers,
  local: maskPhoneNumbersOf(['DE', 'FR', 'GB']),
  passport: maskPassportNumbers,
  iban: maskIbans,
};

test('of the candidates in a run the leftmost and longest is replaced', () => {
  const calls: string[] = [];
  const mask = createDigitRunReplacer({
    least: 2,
    most: 4,
    leastFirst: 1,
    find(text, start, end) {
      calls.push(text.slice(start, end));
      return text.slice(start, end) === '2 3' || text.slice(start, end) === '4' ? { start, end } : undefined;
    },
  });
  assert.equal(
    mask('a 1 2 3 45 6', (found) => `<${found}>`),
    'a 1 <2 3> 45 6',
  );
  assert.deepEqual(calls, ['1 2 3', '1 2', '2 3 45', '2 3', '45 6', '45']);
  assert.equal(
    mask('1 x 2 3', (found) => `<${found}>`),
    '1 x <2 3>',
  );
});

const beside: readonly [masker: string, text: string, expected: string][] = [
  ['card', 'Visa 4111 1111 1111 1111 12/25 CVV 123', 'Visa # 12/25 CVV 123'],
  ['card', 'order 77 4111111111111111', 'order 77 #'],
  ['card', '5555 5555 5555 4444 4111 1111 1111 1111', '# #'],
  ['card', '4111-1111-1111-1111-123', '#-123'],
  ['card', '77-4111111111111111 1.234,50', '77-# 1.234,50'],
  ['card', '378282246310005 0928 1234', '# 0928 1234'],
  ['card', '3782 822463 10005 09/28', '# 09/28'],
  ['card', '(1) 4242 4242 4242 4242 (2) 4000 0566 5566 5556 99', '(1) # (2) # 99'],
  ['card', '$49.99 4111 1111 1111 1111 $12', '$49.99 # $12'],
  ['card', '2024-05-06 5105105105105100, 2024-05-07', '2024-05-06 #, 2024-05-07'],
  ['card', 'card no.4111111111111111', 'card no.#'],
  ['card', '4111 1111 1111 1112 4111 1111 1111 1111', '4111 1111 1111 1112 #'],
  ['card', '4111.1111.1111.1111 7', '# 7'],
  ['card', '5280 5281 5282 5283 5284 5285 5286', '5280 5281 5282 5283 5284 5285 5286'],
  ['card', '5280 5281 5282 5283 5284 5343 5262', '5280 5281 5282 5283 5284 5343 5262'],
  ['card', '0.4111111111111111, 4111111111111111.5', '0.4111111111111111, 4111111111111111.5'],
  ['card', '4111  1111  1111  1111 12/25', '# 12/25'],
  ['card', '%B4111111111111111^DOE/JOHN^2512', '%B#^DOE/JOHN^2512'],
  ['ssn', '219-45-6789/01/02/1980', '#/01/02/1980'],
  ['phone', '13800138000-10:30', '#-10:30'],
  ['phone', '+442079460958+442079460959', '##'],
  ['local', '06 12 34 56 78 06 12 34 56 79', '# #'],
  ['ssn', 'SSN: 219-45-6789 01/02/1980', 'SSN: # 01/02/1980'],
  ['ssn', '77 219-45-6789 12', '77 # 12'],
  ['ssn', '219-45-6789,1980', '#,1980'],
  ['ssn', 'SSN 219-45-6789-1980', 'SSN #-1980'],
  ['ssn', 'SSN: 12 219 45 6789 078 05 1120', 'SSN: 12 # #'],
  ['ssn', '219-45-6789-1 and 1-219-45-6789', '219-45-6789-1 and 1-219-45-6789'],
  ['id', '1 11010519491231002X 13800138000', '1 # 13800138000'],
  ['id', '110105 19491231 002X 110105 19491231 002X', '# #'],
  ['id', '身份证：77 110105491231002 2024', '身份证：77 # 2024'],
  ['id', '12-11010519491231002X-7', '12-#-7'],
  ['phone', 'Call 212-555-0123 10:30', 'Call # 10:30'],
  ['phone', '+44 20 7946 0958 99.50', '# 99.50'],
  ['phone', '+442079460958,30', '#,30'],
  ['phone', '77 (212) 555-0123 12/05/2024', '77 # 12/05/2024'],
  ['phone', '212 555 0123 10:30', '# 10:30'],
  ['phone', '0049 151 23456789 10:30', '# 10:30'],
  ['phone', '138 0013 8000 139 0013 8000', '# #'],
  ['phone', 'phone 13800138000-13900139000', 'phone #-#'],
  ['phone', '+43 664 127432 09/27', '# 09/27'],
  ['phone', 'Tel 77 2125550123', 'Tel 77 #'],
  ['phone', '212 555 0123 4567 12', '212 555 0123 4567 12'],
  ['local', 'Tel. 01 42 68 53 00 10:30', 'Tel. # 10:30'],
  ['local', '12,50 030 901820 01.02.2024', '12,50 # 01.02.2024'],
  ['local', '01.02.2024 03.04.2025', '01.02.2024 03.04.2025'],
  ['local', '0664 124203 (030) 901820', '# #'],
  ['passport', 'Passport E12345678 E87654321 2024', 'Passport # # 2024'],
  ['passport', '护照：77 EA1234567，20240101', '护照：77 #，20240101'],
  ['passport', 'passport 123456789-01/02/1980', 'passport #-01/02/1980'],
  ['iban', '77 DE89 3704 0044 0532 0130 00 12/25', '77 # 12/25'],
];

test('a number beside others is masked, and they stay', () => {
  for (const [masker, text, expected] of beside)
    assert.equal(
      maskers[masker]?.(text, () => '#'),
      expected,
      `${masker}: ${text}`,
    );
});

const units = [
  '1',
  '1 ',
  '4111 ',
  '4111 1111 1111 1112 ',
  '0151 23 ',
  '1.2',
  '(1) ',
  '219-45-',
  '110105 19491231 ',
  '+1 2 ',
  '0049 ',
];

const size = sized(1 << 17, 1 << 20);

test('a megabyte of digits in one run is searched at once', () => {
  for (const [name, mask] of Object.entries(maskers)) {
    const start = process.threadCpuUsage();
    mask('1'.repeat(1 << 20), () => '#');
    const { user, system } = process.threadCpuUsage(start);
    assert.ok(user + system < 2_000_000, name);
  }
});

test('a long run of digits takes time in proportion to its length', () => {
  for (const [name, mask] of Object.entries(maskers))
    for (const unit of units) {
      const cpuOf = (size: number): number => {
        const text = `passport tel ssn ${unit.repeat(size / unit.length)}`;
        const start = process.threadCpuUsage();
        mask(text, () => '#');
        const { user, system } = process.threadCpuUsage(start);
        return (user + system) / 1000;
      };
      const [small, large] = [cpuOf(size / 16), cpuOf(size)];
      // Quadratic time would be 256 times as much.
      assert.ok(large < 64 * Math.max(small, 2), `${name}, ${unit}: ${small.toFixed(0)} and ${large.toFixed(0)} ms`);
    }
});
