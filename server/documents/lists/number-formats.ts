/** Writes the number of a list item, by the names of ECMA-376 part 1, 17.18.59; other formats are decimal. */
export function numberAs(format: string, number: number): string {
  if (number < 1 && format !== 'decimalZero') return String(number);
  switch (format) {
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'lowerLetter':
      return lettersOf(number).toLowerCase();
    case 'upperLetter':
      return lettersOf(number);
    case 'lowerRoman':
      return romanOf(number).toLowerCase();
    case 'upperRoman':
      return romanOf(number);
    case 'ordinal':
      return `${number}${ordinalEnding(number)}`;
    case 'cardinalText':
      return capital(cardinalOf(number));
    case 'ordinalText':
      return capital(ordinalOf(number));
    case 'decimalFullWidth':
    case 'decimalFullWidth2':
      return [...String(number)].map((digit) => String.fromCharCode(0xff10 + Number(digit))).join('');
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return number <= 20 ? String.fromCharCode(0x245f + number) : String(number);
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
    case 'japaneseCounting':
    case 'ideographDigital':
    case 'koreanCounting':
      return chineseOf(number);
    case 'ideographTraditional':
      return number <= 10 ? ('甲乙丙丁戊己庚辛壬癸'[number - 1] ?? '') : String(number);
    case 'ideographZodiac':
      return number <= 12 ? ('子丑寅卯辰巳午未申酉戌亥'[number - 1] ?? '') : String(number);
    case 'russianLower':
      return cyclic('абвгдежзиклмнопрстуфхцчшщыэюя', number);
    case 'russianUpper':
      return cyclic('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ', number);
    default:
      return String(number);
  }
}

/** a … z, aa, bb …, as word processors count. */
function lettersOf(number: number): string {
  return cyclic('ABCDEFGHIJKLMNOPQRSTUVWXYZ', number);
}

function cyclic(letters: string, number: number): string {
  const letter = letters[(number - 1) % letters.length] ?? '';
  return letter.repeat(Math.min(20, Math.ceil(number / letters.length)));
}

const romans = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

function romanOf(number: number): string {
  if (number >= 4000) return String(number);
  let rest = number;
  return romans
    .map(([value, sign]) => {
      const count = Math.floor(rest / value);
      rest -= count * value;
      return sign.repeat(count);
    })
    .join('');
}

function ordinalEnding(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}

const ones = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ordinals = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);

function cardinalOf(number: number): string {
  if (number < 20) return ones[number] ?? String(number);
  if (number >= 100) return String(number);
  const ten = tens[Math.floor(number / 10) - 2] ?? '';
  return number % 10 === 0 ? ten : `${ten}-${ones[number % 10] ?? ''}`;
}

function ordinalOf(number: number): string {
  if (number >= 100) return `${number}${ordinalEnding(number)}`;
  const [, before = '', last = ''] = /^(.*?)([a-z]+)$/.exec(cardinalOf(number)) ?? [];
  return before + (ordinals.get(last) ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`));
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const digits = '零一二三四五六七八九';

function chineseOf(number: number): string {
  if (number >= 100) return [...String(number)].map((digit) => digits[Number(digit)] ?? '').join('');
  const [ten, one] = [Math.floor(number / 10), number % 10];
  const head = ten === 0 ? '' : `${ten === 1 ? '' : (digits[ten] ?? '')}十`;
  return `${head}${one === 0 ? '' : (digits[one] ?? '')}`;
}
