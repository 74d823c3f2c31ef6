import { defineOperator } from '../operator.ts';
import { inAllForms } from './character-forms.ts';
import { masker, withoutSeparators } from './masking.ts';

const word =
  /(?:passports?|travel document|driver'?s?[ -]licen[cs]e|identity card|id card|护照|通行证|驾驶证|證件|证件)["']?[\s_-]{0,3}(?:numbers?|nr|nos?|num|id|号码|号|编号)?["'.]?\s{0,3}(?:#|is|was|为|是)?\s{0,3}[:：=]?\s{0,3}["'(]?(?:no\.? )?/gi;
const number = /(?<!\w)([A-Z]{0,3})(\d{6,9})([A-Z]?)(?!\w|-(?!\d))/iy;
/** Dates, times, amounts and other figures beside it. */
const figure = /[\d.,:/]{1,20}(?![\w-])/y;
const gap = /(?:[\s,;|/()、，；-]|and\b|和|及){1,4}/iy;
const mostBeside = 6;
/** The machine-readable zone of a passport (ICAO 9303, TD3): two lines of 44. */
const zone = /(?<![A-Z\d<])P[A-Z<][A-Z<]{42}\r?\n[A-Z\d<]{44}(?![A-Z\d<])/g;

export const maskPassportNumbers = inAllForms((text, replace) => {
  const rest = text.replace(zone, (found) => (hasRightCheckDigits(found.slice(-44)) ? replace(found) : found));
  let masked = '';
  let taken = 0;
  for (const { 0: words, index } of rest.matchAll(word)) {
    for (const { start, end } of numbersFrom(rest, index + words.length)) {
      if (start < taken) continue;
      masked += rest.slice(taken, start) + replace(rest.slice(start, end));
      taken = end;
    }
  }
  return taken === 0 ? rest : masked + rest.slice(taken);
});

/** The numbers after a word that names them, also behind figures; further ones have letters, nine digits or the same form. */
function numbersFrom(text: string, from: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let form: string | undefined;
  let at = from;
  for (let count = 0; count < mostBeside; count += 1) {
    const match = matchAt(number, text, at);
    const own = match
      ?.slice(1)
      .map((part) => String(part.length))
      .join('-');
    const isAlike = form === undefined || form === own || own === '0-9-0' || match?.[1] !== '';
    const isNumber = match !== undefined && isAlike && !isDay(match[0]);
    const length = isNumber ? match[0].length : (matchAt(figure, text, at)?.[0].length ?? 0);
    if (length === 0) break;
    if (isNumber) {
      found.push({ start: at, end: at + length });
      form = own;
    }
    at += length;
    const between = matchAt(gap, text, at)?.[0].length ?? 0;
    if (between === 0) break;
    at += between;
  }
  return found;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** A date of eight digits. */
function isDay(found: string): boolean {
  return /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(found);
}

/** ICAO 9303-3, 4.9: weights 7, 3, 1 over the number, the date of birth and the date of expiry. */
function hasRightCheckDigits(line: string): boolean {
  return [
    [0, 9],
    [13, 19],
    [21, 27],
  ].every(([from = 0, to = 0]) => {
    let sum = 0;
    for (let at = from; at < to; at += 1) {
      const character = line.charAt(at);
      sum += (character === '<' ? 0 : Number.parseInt(character, 36)) * ([7, 3, 1][(at - from) % 3] ?? 0);
    }
    return String(sum % 10) === line[to];
  });
}

export const passportMasker = defineOperator(
  masker({
    id: 'passport-masker',
    version: '1.2.0',
    name: 'Mask passport numbers',
    description:
      'Masks the numbers of passports, driving licences and identity cards that follow a word naming them, and the machine-readable zone of passports (ICAO 9303) with correct check digits. The format alone is too ambiguous, so other numbers are kept.',
    tag: 'PASSPORT',
    mask: maskPassportNumbers,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'After its name',
        params: {},
        input: 'Passport No. E12345678, flight CA1234',
        output: 'Passport No. [PASSPORT], flight CA1234',
      },
      { title: 'In Chinese text', params: {}, input: '护照号码：EA1234567，', output: '护照号码：[PASSPORT]，' },
      {
        title: 'A machine-readable zone',
        params: {},
        input: 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10\n',
        output: '[PASSPORT]\n',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'passport: 123456789', output: 'passport: *********' },
      {
        title: 'Other numbers are kept',
        params: {},
        input: 'order E12345678, passport control 2024',
        output: 'order E12345678, passport control 2024',
      },
    ],
    chinese: {
      name: '遮盖护照号',
      description:
        '用标记代替写在相应名称之后的护照号、驾驶证号和证件号，以及校验位正确的护照机读区（ICAO 9303）。仅凭形式无法判断：其他号码保留。',
      examples: {
        'After its name': '在名称之后',
        'In Chinese text': '中文文本中',
        'A machine-readable zone': '机读区',
        Stars: '星号',
        'Other numbers are kept': '其他号码保留',
      },
    },
  }),
);
