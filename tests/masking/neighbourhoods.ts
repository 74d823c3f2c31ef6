// Personal numbers side by side with others: dates, times, amounts, postcodes, order numbers and further personal numbers
// in the forms of 30 countries. Each text is labelled with the spans to mask; half of the texts have none.
import { chineseId, iban, otherLast } from '../support/masker-sets/identity-sets.ts';
import { inFours, upper } from '../support/masker-sets/labelled-set.ts';
import { cardNumber } from '../support/masker-sets/personal-data.ts';
import { seededRandom, type Random } from '../support/seeded-random.ts';
import { amountOf, countries, dateOf, phoneOf, postcodeOf, timeOf } from './countries.ts';

export const numberKinds = ['card', 'ssn', 'chinese id', 'phone', 'local phone', 'passport', 'iban'] as const;
export type NumberKind = (typeof numberKinds)[number];
export type Span = { start: number; end: number };
export type Neighbourhood = { kind: NumberKind; country: string; text: string; spans: readonly Span[] };

type Country = (typeof countries)[number];
type Part = { text: string; isPersonal: boolean };
type Subject = {
  /** What may stand before the numbers; numbers that only a word identifies need one. */
  words: readonly string[];
  number: (random: Random, country: Country) => string;
  /** A number that looks alike but is none. */
  lookalike: (random: Random, country: Country) => string;
  joints: readonly string[];
};

const apart = [' ', ' ', ' ', ' ', ' ', '  ', '\t', ', ', '; ', ' | ', ' / ', '\u00a0', ' - '];
const glued = [...apart, ...apart, '-', '/', '-'];

function withSsnGroups(random: Random, area: number, separator: string): string {
  const serial = String(1 + random.integer(9999)).padStart(4, '0');
  return [String(area).padStart(3, '0'), String(1 + random.integer(99)).padStart(2, '0'), serial].join(separator);
}

function issuedArea(random: Random): number {
  const area = 1 + random.integer(898);
  return area === 666 ? 667 : area;
}

/** Another last digit: the sum of all digits is wrong. One of 19 digits could begin with a right one of 16. */
function wrongCard(random: Random): string {
  let number = cardNumber(random);
  while (number.replaceAll(/\D/g, '').length > 16) number = cardNumber(random);
  return number.slice(0, -1) + String((Number(number.at(-1)) + 1 + random.integer(8)) % 10);
}

const subjects: Readonly<Record<NumberKind, Subject>> = {
  card: {
    words: ['Visa ', 'card ', 'paid with ', 'MC: ', 'Karte: ', '卡号：', '', '', ''],
    number: cardNumber,
    lookalike: wrongCard,
    joints: glued,
  },
  ssn: {
    words: ['SSN: ', 'SSN ', 'social security number ', 'Employee SSN=', ''],
    number: (random) => withSsnGroups(random, issuedArea(random), '-'),
    lookalike: (random) => withSsnGroups(random, random.pick([0, 666]), '-'),
    joints: apart,
  },
  'chinese id': {
    words: ['身份证号：', '身份证 ', 'ID ', '', ''],
    number(random) {
      const id = chineseId(random);
      return random.pick([id, id, `${id.slice(0, 6)} ${id.slice(6, 14)} ${id.slice(14)}`]);
    },
    lookalike: (random) => otherLast(chineseId(random), random),
    joints: apart,
  },
  phone: {
    words: ['Tel ', 'Phone: ', 'call ', '电话：', '', ''],
    number: (random, country) =>
      phoneOf(
        country,
        random,
        ['US', 'CN'].includes(country.code) ? random.pick(['INTERNATIONAL', 'NATIONAL']) : 'INTERNATIONAL',
      ),
    lookalike: (random) =>
      random.pick([`+${random.digits(5)}`, `+0${random.digits(9)}`, `#${random.digits(6)}`, `1${random.digits(6)}`]),
    joints: apart,
  },
  'local phone': {
    words: [],
    number: (random, country) => phoneOf(country, random, 'NATIONAL'),
    lookalike: (random) =>
      random.pick([`9${random.digits(4)}`, `00${random.digits(3)}`, `1${random.digits(3)} 1${random.digits(2)}`]),
    joints: apart,
  },
  passport: {
    words: ['Passport No. ', 'passport: ', 'Passport number ', '护照号码：', 'travel document '],
    number: (random) =>
      random.pick([
        `E${random.digits(8)}`,
        `${random.text(upper, 2)}${random.digits(7)}`,
        `1${random.digits(8)}`,
        `C${random.digits(8)}`,
      ]),
    lookalike: (random) => random.pick([random.digits(3), random.digits(4), 'pending']),
    joints: apart,
  },
  iban: {
    words: ['IBAN: ', 'IBAN ', 'to ', '账号', ''],
    number(random) {
      const found = iban(random);
      return random.pick([found, inFours(found, ' ')]);
    },
    lookalike(random) {
      const found = iban(random);
      return `${found.slice(0, -1)}${(Number(found.at(-1)) + 1) % 10}`;
    },
    joints: apart,
  },
};

const before: readonly ((random: Random, country: Country) => string)[] = [
  (random) => random.digits(1 + random.integer(3)),
  (random) => `order ${1 + random.integer(9)}${random.digits(1 + random.integer(6))}`,
  (random) => `No. ${random.digits(2)}-${random.digits(4)}`,
  (random, country) => dateOf(country, random),
  (random, country) => timeOf(country, random),
  (random, country) => amountOf(country, random),
  (random, country) => postcodeOf(country, random),
  (random) => `INV-${random.digits(4)}-${random.digits(6)}`,
  (random) => `${1 + random.integer(99)} x`,
];
const behind: readonly ((random: Random, country: Country) => string)[] = [
  (random) => `${String(1 + random.integer(12)).padStart(2, '0')}/${25 + random.integer(10)} CVV ${random.digits(3)}`,
  (random) => `${String(1 + random.integer(12)).padStart(2, '0')}/${25 + random.integer(10)}`,
  (random, country) => dateOf(country, random),
  (random, country) => timeOf(country, random),
  (random, country) => amountOf(country, random),
  (random) => `qty ${1 + random.integer(99)}`,
  (random) => `(${random.digits(2)})`,
  (random) => `${10 + random.integer(13)}:${10 + random.integer(49)}`,
];

/** A text with its spans; `%` in the words is no mark, so parts are joined by hand. */
function joined(kind: NumberKind, country: Country, parts: readonly Part[]): Neighbourhood {
  let text = '';
  const spans: Span[] = [];
  for (const part of parts) {
    if (part.isPersonal) spans.push({ start: text.length, end: text.length + part.text.length });
    text += part.text;
  }
  return { kind, country: country.code, text, spans };
}

function neighbourhood(kind: NumberKind, random: Random, isPersonal: boolean): Neighbourhood {
  const country = random.pick(countries);
  const subject = subjects[kind];
  const phoneWord = isPersonal ? country.phoneWord : 'Ref.';
  const words = kind === 'local phone' ? [`${phoneWord} `, `${phoneWord}: `] : subject.words;
  const plain = (text: string): Part => ({ text, isPersonal: false });
  // A hyphen or a slash joins figures, not words.
  const jointOf = (left: string, right: string): string => {
    const joint = random.pick(subject.joints);
    return /^[/-]$/.test(joint) && !(/\d$/.test(left) && /^\d/.test(right)) ? ' ' : joint;
  };
  const number = (): Part => ({ text: (isPersonal ? subject.number : subject.lookalike)(random, country), isPersonal });
  const word = plain(random.pick(words));
  // A word that alone identifies a number stands directly before it.
  const isNamed = kind === 'passport' || kind === 'local phone';
  const first = number();
  const leading = random.pick(before)(random, country);
  const lead = isNamed
    ? [plain(leading), plain(random.pick(apart)), word]
    : [word, plain(leading), plain(jointOf(leading, first.text))];
  const trailing = random.pick(behind)(random, country);
  const tail = [plain(jointOf(first.text, trailing)), plain(trailing)];
  switch (random.integer(5)) {
    case 0:
      return joined(kind, country, [word, first, ...tail]);
    case 1:
      return joined(kind, country, [...lead, first]);
    case 2:
      return joined(kind, country, [...lead, first, ...tail]);
    case 3:
      return joined(kind, country, [word, first, plain(random.pick(apart)), number()]);
    default:
      return joined(kind, country, [
        word,
        first,
        ...tail,
        plain(random.pick([' ref ', ', ', ' #'])),
        plain(random.digits(4)),
      ]);
  }
}

/** As many texts with personal numbers as without, of each kind the same number. */
export function neighbourhoods(seed: number, countPerKind: number): Neighbourhood[] {
  const random = seededRandom(seed);
  return numberKinds.flatMap((kind) =>
    Array.from({ length: countPerKind }, (_, index) => neighbourhood(kind, random, index % 2 === 0)),
  );
}
