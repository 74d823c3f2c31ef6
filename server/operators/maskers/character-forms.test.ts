// Numbers and addresses in the forms of characters that an auditor would try, in front of every masker: findings are
// replaced to the last character, and the text around them stays as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operators } from '../index.ts';
import { maskCardNumbers } from './card-numbers.ts';
import { hasDigit, inUsualForm, otherDigits } from './character-forms.ts';
import { maskChineseIds } from './chinese-id-masker.ts';
import { maskEmails } from './email-addresses.ts';
import { maskIbans } from './iban-masker.ts';
import { maskIpAddresses } from './ip-addresses.ts';
import { maskPhoneNumbersOf } from './local-phone-numbers.ts';
import { maskMacAddresses } from './mac-address-masker.ts';
import { replacementOf, withoutSeparators } from './masking.ts';
import type { Masker } from './masker.ts';
import { maskPassportNumbers } from './passport-masker.ts';
import { maskPhoneNumbers } from './phone-numbers.ts';
import { maskSecrets } from './secrets.ts';
import { maskSocialSecurityNumbers } from './us-ssn-masker.ts';
import { urlMasker } from './url-masker.ts';
import { wordMasker } from './word-masker.ts';

const key = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

/** What each operator of the folder finds, behind the words that it needs. */
const findings: Readonly<Record<string, { mask: Masker; word?: string; found: readonly string[] }>> = {
  'credit-card-masker': {
    mask: maskCardNumbers,
    found: ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005'],
  },
  'us-ssn-masker': { mask: maskSocialSecurityNumbers, found: ['219-45-6789'] },
  'chinese-id-masker': { mask: maskChineseIds, found: ['11010519491231002X', '110105 19491231 002X'] },
  'phone-masker': { mask: maskPhoneNumbers, found: ['+44 20 7946 0958', '(212) 555-0123', '138 0013 8000'] },
  'local phone-masker': { mask: maskPhoneNumbersOf(['FR']), word: 'Tel. ', found: ['01 42 68 53 00'] },
  'passport-masker': { mask: maskPassportNumbers, word: 'passport: ', found: ['E12345678'] },
  'iban-masker': { mask: maskIbans, found: ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432'] },
  'ip-masker': { mask: maskIpAddresses, found: ['192.168.0.17', '2001:db8::8a2e:370:7334'] },
  'mac-address-masker': { mask: maskMacAddresses, found: ['00:1a:2b:3c:4d:5e', '00-1A-2B-3C-4D-5E'] },
  'email-masker': { mask: maskEmails, found: ['jane.doe@example.com', 'иван@пример.рф', 'x1@163.com'] },
  'url-masker': { mask: maskOf(urlMasker), found: ['https://example.org/a1?b=2'] },
  'secret-masker': { mask: maskSecrets, found: [key] },
  'word-masker': { mask: wordsOf(), found: ['Project X-7', 'Ann 5'] },
};

function maskOf({ each }: typeof urlMasker): Masker {
  return throughTag('URL', (text) => each({ mode: 'TAG', key: '' })({ text }));
}

function wordsOf(): Masker {
  const params = { words: 'Project X-7, Ann 5', ignoreCase: true, tag: 'WORD', mode: 'TAG', key: '' } as const;
  return throughTag('WORD', (text) => wordMasker.each(params)({ text }));
}

function throughTag(tag: string, each: (text: string) => object): Masker {
  return (text, replace) => {
    const changes = each(text);
    return 'text' in changes ? String(changes.text).replaceAll(`[${tag}]`, () => replace('')) : text;
  };
}

const inDigits =
  (zero: number) =>
  (found: string): string =>
    found.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const between =
  (sign: string) =>
  (found: string): string =>
    found.replaceAll(/(?<=[\dA-Za-z])(?=[\dA-Za-z])/g, sign);
const spacesAs =
  (sign: string) =>
  (found: string): string =>
    found.replaceAll(' ', sign);
const hyphensAs =
  (sign: string) =>
  (found: string): string =>
    found.replaceAll('-', sign);
const signsAs =
  (form: (code: number) => string) =>
  (found: string): string =>
    found.replaceAll(/[@ +.:()-]/g, (sign) => form(sign.codePointAt(0) ?? 0));
const hexOf = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0');

const forms: Readonly<Record<string, (found: string) => string>> = {
  'full-width': (found) =>
    found.replaceAll(/[\dA-Za-z+.@-]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
  'full-width digits': inDigits(0xff10),
  'Arabic-Indic digits': inDigits(0x660),
  'Persian digits': inDigits(0x6f0),
  'Devanagari digits': inDigits(0x966),
  'Thai digits': inDigits(0xe50),
  'bold digits of mathematics': inDigits(0x1d7ce),
  'framed digits': (found) => found.replaceAll(/\d/g, '$&\ufe0f\u20e3'),
  'zero-width spaces': between('\u200b'),
  'zero-width joiners': between('\u200d'),
  'word joiners': between('\u2060'),
  'byte order marks': between('\ufeff'),
  'soft hyphens': between('\u00ad'),
  'marks of direction': between('\u200e'),
  'no-break spaces': spacesAs('\u00a0'),
  'narrow no-break spaces': spacesAs('\u202f'),
  'thin spaces': spacesAs('\u2009'),
  'ideographic spaces': spacesAs('\u3000'),
  'no-break hyphens': hyphensAs('\u2011'),
  'minus signs': hyphensAs('\u2212'),
  'references by number': signsAs((code) => `&#${code};`),
  'references by hexadecimal number': signsAs((code) => `&#x${hexOf(code, 2)};`),
  'references to references': signsAs((code) => `&amp;#${code};`),
  'references for digits': (found) => found.replaceAll(/\d/g, (digit) => `&#${48 + Number(digit)};`),
  'references by name': (found) =>
    found.replaceAll(' ', '&nbsp;').replaceAll('@', '&commat;').replaceAll('.', '&period;'),
  'soft hyphens by name': between('&shy;'),
  'percent encoding': signsAs((code) => `%${hexOf(code, 2)}`),
  'percent encoding of all': (found) =>
    found.replaceAll(/[^A-Za-z\d]/gu, (sign) =>
      (sign.codePointAt(0) as number) < 128 ? `%${hexOf(sign.charCodeAt(0), 2)}` : encodeURIComponent(sign),
    ),
  'escapes of JSON': signsAs((code) => `\\u${hexOf(code, 4)}`),
};

/** Forms that make another text of an address: a URL with spaces in the middle is none. */
const around: readonly (readonly [string, string])[] = [
  ['', ''],
  ['see ', ', ok'],
  ['é\u00a0%C3%A9 &amp; ٣ ', ' – 5&nbsp;€ \u200b%20 ３'],
  ['“', '”'],
];

test('every masker is tried', () => {
  const maskers = operators.filter(({ id, categories }) => id.endsWith('-masker') && categories.includes('privacy'));
  const tried = new Set([...Object.keys(findings).map((name) => name.replace('local ', '')), 'pii-masker']);
  assert.deepEqual(maskers.map(({ id }) => id).toSorted(), [...tried].toSorted());
});

for (const [name, { mask, word = '', found }] of Object.entries(findings))
  test(`${name} finds what is written in other forms of the same characters`, () => {
    for (const one of found)
      for (const [form, write] of Object.entries(forms))
        for (const [before, after] of around) {
          const text = `${before}${word}${write(one)}${after}`;
          assert.equal(
            mask(text, () => '#'),
            `${before}${word}#${after}`,
            `${form}: ${text}`,
          );
        }
  });

test('the digits of all scripts are known', () => {
  for (let code = 128; code < 0xffff; code += 1) {
    const isDigit = /^\p{Nd}$/u.test(String.fromCodePoint(code));
    assert.equal(
      otherDigits.some((start) => start <= code && code < start + 10),
      isDigit,
      code.toString(16),
    );
  }
  assert.ok(hasDigit('٣') && hasDigit('𝟗') && !hasDigit('三 a'));
  assert.equal(inUsualForm('٠१２𝟑 4'), '0123 4');
});

test('findings that differ only in the forms of their characters have the same hash', () => {
  const replace = replacementOf('CARD', { mode: 'HASH', key: 'k' }, withoutSeparators);
  const usual = maskCardNumbers('4111111111111111', replace);
  for (const form of ['full-width digits', 'Arabic-Indic digits', 'zero-width spaces', 'references for digits'])
    assert.equal(maskCardNumbers((forms[form] ?? String)('4111111111111111'), replace), usual, form);
});

test('what is decoded is only searched: texts without findings keep every byte', () => {
  for (const text of [
    '5&#37; of %41%zz &bogus; \\u00',
    '100%25 – &amp;amp; ١٢٣',
    'a\u200bb%F0%9F%98%80 &#128512;',
    '%E2%80',
    '\ufdd0 %20 \ufdd1',
  ])
    for (const { mask } of Object.values(findings))
      assert.equal(
        mask(text, () => '#'),
        text,
      );
});
