import { defineOperator } from '../operator.ts';
import { inAllForms } from './character-forms.ts';
import { createDigitRunReplacer, wordsBefore } from './digit-runs.ts';
import { masker, withoutSeparators } from './masking.ts';

/** Provinces, autonomous regions and municipalities (GB/T 2260); 81 to 83: residence permits of Hong Kong, Macau, Taiwan. */
const regions = new Set(
  '11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83'.split(' '),
);

const grouping = /^(?:\d{17}[\dX]|\d{6}([ -])\d{8}[ -]\d{3}[\dX]|\d{14}[ -]\d{3}[\dX])$/i;
/** Numbers until 1999: two-digit year, no check digit; only next to words that name them. */
const oldNumberWord = /(?:身份证|身分证|身份證|公民身份|证件号|证号|ID card|identity card)[^\d\n]{0,12}$/i;

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

export const maskChineseIds = inAllForms(
  createDigitRunReplacer({
    least: 15,
    most: 18,
    leastFirst: 6,
    find(text, start, digitsEnd, run) {
      const end = /^[Xx](?!\w)/.test(text.slice(digitsEnd, digitsEnd + 2)) ? digitsEnd + 1 : digitsEnd;
      const found = text.slice(start, end);
      if (/^\d{15}$/.test(found)) return isOldNumber(text, found, start, run.start) ? { start, end } : undefined;
      if (!grouping.test(found) || !isNumber(found.replaceAll(/[ -]/g, ''))) return undefined;
      const before = text.slice(Math.max(0, start - 2), start);
      // Figures may stand beside it, also behind a hyphen.
      if (/[\w.+]$|(?<!\d)-$/.test(before) || /^(?:\w|\.\d)/.test(text.slice(end, end + 2))) return undefined;
      return { start, end };
    },
  }),
);

function isOldNumber(text: string, found: string, start: number, runStart: number): boolean {
  return (
    regions.has(found.slice(0, 2)) &&
    isDate(`19${found.slice(6, 12)}`) &&
    (oldNumberWord.test(text.slice(Math.max(0, start - 30), start)) || oldNumberWord.test(wordsBefore(text, runStart)))
  );
}

/** GB 11643-1999: region, date of birth, sequence, check digit (ISO 7064, MOD 11-2). */
function isNumber(digits: string): boolean {
  if (digits.length !== 18 || !regions.has(digits.slice(0, 2)) || !isDate(digits.slice(6, 14))) return false;
  const sum = weights.reduce((total, weight, at) => total + weight * Number(digits[at]), 0);
  return '10X98765432'[sum % 11] === digits[17]?.toUpperCase();
}

function isDate(digits: string): boolean {
  const [year, month, day] = [Number(digits.slice(0, 4)), Number(digits.slice(4, 6)), Number(digits.slice(6))];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return year >= 1880 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= last;
}

export const chineseIdMasker = defineOperator(
  masker({
    id: 'chinese-id-masker',
    version: '1.2.0',
    name: 'Mask Chinese identity numbers',
    description:
      "Masks Chinese identity card numbers (GB 11643-1999) with an existing region, a valid date of birth and a correct check digit (ISO 7064, MOD 11-2). Old 15-digit numbers are masked only next to words such as '身份证'.",
    tag: 'CHINESE_ID',
    mask: maskChineseIds,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'A correct check digit',
        params: {},
        input: '身份证号：11010519491231002X，不是 110105194912310021',
        output: '身份证号：[CHINESE_ID]，不是 110105194912310021',
      },
      { title: 'In groups', params: {}, input: 'ID 440524 18800101 0014', output: 'ID [CHINESE_ID]' },
      { title: 'An old number', params: {}, input: '身份证：110105491231002', output: '身份证：[CHINESE_ID]' },
      { title: 'Stars', params: { mode: 'STARS' }, input: '11010519491231002x', output: '******************' },
      { title: 'An invalid date', params: {}, input: '110105194902310022', output: '110105194902310022' },
    ],
    chinese: {
      name: '遮盖身份证号',
      description:
        '用标记代替中国居民身份证号（GB 11643-1999）：地区和出生日期存在，且校验码正确（ISO 7064，MOD 11-2）。15 位的旧号码只在“身份证”等词旁才算。',
      examples: {
        'A correct check digit': '校验码正确',
        'In groups': '分组书写',
        'An old number': '旧号码',
        Stars: '星号',
        'An invalid date': '没有这一天',
      },
    },
  }),
);
