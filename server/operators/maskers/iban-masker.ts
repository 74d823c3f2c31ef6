import { defineOperator } from '../operator.ts';
import { inAllForms } from './character-forms.ts';
import { masker, withoutSeparators } from './masking.ts';
import type { Masker } from './masker.ts';

/** Length by country (IBAN registry of SWIFT). */
const lengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 ' +
    'SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

const start = /(?<=(?<!\w)|(?<!\w)iban)[A-Z]{2}\d{2}(?=[ -]?[A-Z\d])/gi;
/** Lower-case letters and digits are more often a key: they only count after this word. */
const word = /\biban[^\n\p{L}\d]{0,10}$/iu;
const longest = 34 + 16;

export const maskIbans: Masker = inAllForms((text, replace) => {
  let masked = '';
  let taken = 0;
  for (const { 0: head, index } of text.matchAll(start)) {
    const length = lengths.get(head.slice(0, 2).toUpperCase());
    if (length === undefined || index < taken) continue;
    const found = read(text.slice(index, index + longest), length);
    if (found === undefined || (/[a-z]/.test(found) && !word.test(text.slice(Math.max(0, index - 20), index))))
      continue;
    if (!hasRightCheckDigits(withoutSeparators(found))) continue;
    masked += text.slice(taken, index) + replace(found);
    taken = index + found.length;
  }
  return taken === 0 ? text : masked + text.slice(taken);
});

/** The first `length` letters and digits, unseparated or in groups of four, if no word character follows. */
function read(text: string, length: number): string | undefined {
  for (const separator of ['', ' ', '-']) {
    const width = separator === '' ? length : length + Math.ceil(length / 4) - 1;
    const found = text.slice(0, width);
    const groups = separator === '' ? [found] : found.split(separator);
    const fits = groups.every(
      (group, at) => (separator === '' || at === groups.length - 1 || group.length === 4) && /^[A-Z\d]+$/i.test(group),
    );
    if (fits && groups.join('').length === length && !/^\w/.test(text.slice(width))) return found;
  }
  return undefined;
}

/** ISO 7064, MOD 97-10. */
function hasRightCheckDigits(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

export const ibanMasker = defineOperator(
  masker({
    id: 'iban-masker',
    version: '1.2.0',
    name: 'Mask bank account numbers (IBAN)',
    description:
      'Masks international bank account numbers (ISO 13616) with an issuing country, the length used there and correct check digits (MOD 97-10), written together or in groups of four; in lower case only after the word IBAN.',
    tag: 'IBAN',
    mask: maskIbans,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'Together and in groups',
        params: {},
        input: 'Pay to GB82 WEST 1234 5698 7654 32 OR DE89370400440532013000.',
        output: 'Pay to [IBAN] OR [IBAN].',
      },
      { title: 'In Chinese text', params: {}, input: '账号为DE89 3704 0044 0532 0130 00，', output: '账号为[IBAN]，' },
      {
        title: 'Joined to its name, in lower case',
        params: {},
        input: 'IBANDE89370400440532013000, iban: gb82 west 1234 5698 7654 32',
        output: 'IBAN[IBAN], iban: [IBAN]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'NO9386011117947', output: '***************' },
      {
        title: 'Numbers with a wrong check digit or length are kept',
        params: {},
        input: 'GB83WEST12345698765432, DE8937040044053201300',
        output: 'GB83WEST12345698765432, DE8937040044053201300',
      },
    ],
    chinese: {
      name: '遮盖国际银行账号（IBAN）',
      description:
        '用标记代替国际银行账号（ISO 13616）：发行国家存在，长度与该国一致，校验码正确（MOD 97-10）；连写或每四位一组；小写的只在 IBAN 一词之后才算。',
      examples: {
        'Together and in groups': '连写和分组',
        'In Chinese text': '中文文本中',
        'Joined to its name, in lower case': '与名称连写、小写',
        Stars: '星号',
        'Numbers with a wrong check digit or length are kept': '校验码或长度不对的保留',
      },
    },
  }),
);
