// Numbers that identify a person or an account, and texts that look like them.
import { maskChineseIds } from '../../../server/operators/maskers/chinese-id-masker.ts';
import { maskIbans } from '../../../server/operators/maskers/iban-masker.ts';
import { maskPassportNumbers } from '../../../server/operators/maskers/passport-masker.ts';
import { maskSocialSecurityNumbers } from '../../../server/operators/maskers/us-ssn-masker.ts';
import type { Random } from '../seeded-random.ts';
import { anywhere, inFours, hex, upper, type LabelledSet } from './labelled-set.ts';

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

export function chineseId(random: Random): string {
  const region = random.pick(['110105', '310115', '440305', '510107', '330106', '420111', '650102', '810000']);
  const date = `${1930 + random.integer(90)}${String(1 + random.integer(12)).padStart(2, '0')}${String(1 + random.integer(28)).padStart(2, '0')}`;
  const body = region + date + random.digits(3);
  const sum = weights.reduce((total, weight, at) => total + weight * Number(body[at]), 0);
  return body + '10X98765432'.charAt(sum % 11);
}

export function otherLast(digits: string, random: Random): string {
  const last = digits.at(-1) === 'X' ? 10 : Number(digits.at(-1));
  return digits.slice(0, -1) + String((last + 1 + random.integer(8)) % 10);
}

export function iban(random: Random): string {
  const [country, length, bank] = random.pick<readonly [string, number, number]>([
    ['DE', 22, 0],
    ['GB', 22, 4],
    ['FR', 27, 0],
    ['NL', 18, 4],
    ['ES', 24, 0],
    ['IT', 27, 0],
    ['CH', 21, 0],
    ['PL', 28, 0],
    ['NO', 15, 0],
    ['SE', 24, 0],
    ['SA', 24, 0],
  ]);
  const account = random.text(upper, bank) + random.digits(length - 4 - bank);
  const digits = [...`${account}${country}00`].map((one) => Number.parseInt(one, 36)).join('');
  return country + String(98n - (BigInt(digits) % 97n)).padStart(2, '0') + account;
}

export function zoneOf(random: Random): string {
  const digit = (field: string): string => {
    let sum = 0;
    [...field].forEach((one, at) => {
      sum += (one === '<' ? 0 : Number.parseInt(one, 36)) * ([7, 3, 1][at % 3] ?? 0);
    });
    return String(sum % 10);
  };
  const number = `${random.text(upper, 1)}${random.digits(8)}`;
  const birth = `${random.digits(1)}81201`;
  const expiry = '340517';
  const first = `P<CHN${random.text(upper, 6)}<<${random.text(upper, 8)}`.padEnd(44, '<');
  return `${first}\n${`${number}${digit(number)}CHN${birth}${digit(birth)}F${expiry}${digit(expiry)}`.padEnd(42, '<')}06`;
}

export const identitySets: Readonly<Record<string, LabelledSet>> = {
  'chinese id': {
    mask: maskChineseIds,
    around: [...anywhere, '身份证号%', '身份证：%', '本人（身份证号码%）承诺', 'ID No. %'],
    positive(random) {
      const id = chineseId(random);
      return random.pick([id, id, id.toLowerCase(), `${id.slice(0, 6)} ${id.slice(6, 14)} ${id.slice(14)}`]);
    },
    near: (random) =>
      random.pick([
        otherLast(chineseId(random), random),
        `9${chineseId(random).slice(1)}`,
        `${chineseId(random)}${random.digits(1)}`,
        `1101051990${13 + random.integer(80)}${random.digits(6)}`,
        `11010519900230${random.digits(4)}`,
        `110105${random.digits(4)}`,
        `6222${random.digits(15)}`,
        `0.${chineseId(random)}`,
        `${chineseId(random).slice(0, 17)}a`,
        `order 2024${random.digits(14)}`,
        `20240101${random.digits(9)}`,
        random.digits(15),
        `99${random.digits(16)}`,
        `a${chineseId(random)}`,
      ]),
  },
  iban: {
    mask: maskIbans,
    around: [...anywhere, 'IBAN: %', 'pay to % BIC X', '账号%'],
    positive(random) {
      const found = iban(random);
      return random.pick([found, inFours(found, ' '), inFours(found, '-')]);
    },
    near(random) {
      const found = iban(random);
      const wrong = `${found.slice(0, 2)}${String(((Number(found.slice(2, 4)) + 1 + random.integer(90)) % 97) + 2).padStart(2, '0')}${found.slice(4)}`;
      return random.pick([
        wrong === found ? `XX${found.slice(2)}` : wrong,
        found.slice(0, -1),
        `${found}7`,
        `ZZ${found.slice(2)}`,
        `x${found}`,
        `GB82 WEST`,
        `DE89 3704 0044`,
        `ISO9${random.digits(3)}`,
        `UTF16 and MP3${random.digits(2)}`,
        `ABCD${random.digits(18)}`,
        `${random.text(upper, 2)}${random.digits(20)}Q`,
        found.toLowerCase(),
      ]);
    },
  },
  ssn: {
    mask: maskSocialSecurityNumbers,
    around: [...anywhere, 'SSN: %', 'social security number %', 'Name;SSN\nSmith;%\n'],
    positive: (random) =>
      `${String(1 + random.integer(665)).padStart(3, '0')}-${String(1 + random.integer(99)).padStart(2, '0')}-${String(1 + random.integer(9999)).padStart(4, '0')}`,
    near: (random) =>
      random.pick([
        `000-${random.digits(2)}-${random.digits(4)}`,
        `666-12-${random.digits(4)}`,
        `9${random.digits(2)}-1${random.digits(1)}-${random.digits(4)}`,
        `219-00-${random.digits(4)}`,
        `219-45-0000`,
        `212-555-${random.digits(4)}`,
        `2024-01-${10 + random.integer(20)}`,
        `978-3-16-1484${random.digits(2)}-0`,
        random.digits(9),
        `${random.digits(3)} ${random.digits(2)} ${random.digits(4)}`,
        `7732-18-5 and 50-00-0`,
        `A12-45-6789`,
        `1-219-45-${random.digits(4)}`,
        `219-45-${random.digits(4)}-1`,
        `219-45-${random.digits(4)}.5`,
        `part 219-4-${random.digits(4)}`,
        `550e8400-e29b-41d4-a716-${random.digits(12)}`,
      ]),
  },
  passport: {
    mask: maskPassportNumbers,
    around: [
      'Passport No. %',
      'passport number: %',
      'Passport #%, issued 2019',
      '护照号码：%，',
      '护照号%',
      '"passport": "%"',
      'passport_no=%',
      'travel document %',
      "driver's license: %",
      '驾驶证号：%。',
      '港澳通行证%',
    ],
    positive: (random) =>
      random.pick([
        `E${random.digits(8)}`,
        `EA${random.digits(7)}`,
        `G${random.digits(8)}`,
        random.digits(9),
        `C01X${random.digits(5)}`.replace('X', '0'),
        `${random.text(upper, 2)}${random.digits(7)}`,
      ]),
    near: (random) =>
      random.pick([
        `order E${random.digits(8)}`,
        `passport control ${random.digits(4)}`,
        `passport of 2019-0${1 + random.integer(8)}-11`,
        `a passport costs 130 dollars in ${random.digits(4)}`,
        `护照有效期 10 年`,
        `passport.js v0.${random.digits(1)}.0`,
        `const passport = require('passport-${random.digits(4)}')`,
        `PR-${random.digits(8)}`,
        zoneOf(random).slice(0, 60),
        `P<${'<'.repeat(42)}\n${'1'.repeat(44)}`,
        `EA${random.digits(7)}`,
        `passport: ${random.digits(3)}`,
        `commit ${random.text(hex, 9)}`,
      ]),
  },
};
