import { isSupportedCountry, type CountryCode } from 'libphonenumber-js/max';
import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { itemsOf, listParam, type GivenList } from '../list-param.ts';
import { defineOperator, type SampleChanges, type SampleOf } from '../operator.ts';
import { maskPhoneNumbersOf } from './local-phone-numbers.ts';
import { checkMasking, masker, maskingChinese, maskingParams, replacementOf, withoutSeparators } from './masking.ts';
import { maskPhoneNumbers } from './phone-numbers.ts';

const problems = defineSentences('phone-masker', {
  NO_REGION: 'must be country codes such as DE, FR; {code} is not one',
});

function codesOf(regions: GivenList): string[] {
  return itemsOf(regions).flatMap((region) => region.split(/\s+/).filter((code) => code !== ''));
}

const declared = {
  ...masker({
    id: 'phone-masker',
    version: '1.5.0',
    name: 'Mask telephone numbers',
    description:
      'Masks telephone numbers that are valid in the numbering plans of libphonenumber: international numbers with + or 00 (after a word such as “phone”, or with the country code set apart), North American and Chinese numbers also without a prefix, and local numbers of the regions you name, which must begin with 0 or follow a word such as “phone”. Extensions are masked with their number. Counts, dates and numbers in code are kept.',
    tag: 'PHONE',
    mask: maskPhoneNumbers,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'International, North American, Chinese',
        params: {},
        input: 'Call +44 20 7946 0958, (212) 555-0123 or 138 0013 8000.',
        output: 'Call [PHONE], [PHONE] or [PHONE].',
      },
      {
        title: 'In Chinese text',
        params: {},
        input: '电话：010-62345678，上午九点',
        output: '电话：[PHONE]，上午九点',
      },
      {
        title: 'No-break spaces and full-width digits',
        params: {},
        input: '+44\u00a020\u00a07946\u00a00958, 手机：１３８００１３８０００',
        output: '[PHONE], 手机：[PHONE]',
      },
      {
        title: 'Extensions and dots',
        params: {},
        input: '(212) 555-0123 ext. 45, +12125550123x45, +33.1.23.45.67.89, (+86)13800138000, Tel: 2125550123',
        output: '[PHONE], [PHONE], [PHONE], [PHONE], Tel: [PHONE]',
      },
      {
        title: 'Chinese areas, companies and prefixes',
        params: {},
        input: '（010）62345678、010－62345678、400-810-8888，电话 0086-10-62345678 转 8001',
        output: '[PHONE]、[PHONE]、[PHONE]，电话 [PHONE] 转 8001',
      },
      {
        title: 'Slashes, and 00 for the +',
        params: {},
        input: '+49 30 / 901820, +49 (0)30 / 90 18 20, 0049 151 23456789',
        output: '[PHONE], [PHONE], [PHONE]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'Tel 13800138000', output: 'Tel ***********' },
      {
        title: 'The same number written twice has the same hash',
        params: { mode: 'HASH', key: 'my key' },
        input: '13800138000 or 138 0013 8000',
        output: '[PHONE:ekknkbabbmbdledi] or [PHONE:ekknkbabbmbdledi]',
      },
      {
        title: 'Local numbers of chosen regions',
        params: { regions: ['DE', 'FR'] },
        input: 'Büro: 030 901820, Tel. 01 42 68 53 00, Artikel 4268 5300',
        output: 'Büro: [PHONE], Tel. [PHONE], Artikel 4268 5300',
      },
      {
        title: 'Other numbers are kept',
        params: {},
        input: 'total 13800138000, +2147483647',
        output: 'total 13800138000, +2147483647',
      },
    ],
    chinese: {
      name: '遮盖电话号码',
      description:
        '用标记代替电话号码，依据 libphonenumber 的号码规划，只认实际使用的号段：带 + 或 00 的国际号码（00 须位于“电话”等词之后，或国家代码单独分开），以及不带 + 的北美和中国号码，还有所填地区的本地号码（须以 0 开头，或位于“电话”等词之后）；分机号属于号码。计数、日期和程序中的数字保留。',
      examples: {
        'International, North American, Chinese': '国际、北美、中国号码',
        'In Chinese text': '中文文本中',
        'No-break spaces and full-width digits': '不换行空格和全角数字',
        'Extensions and dots': '分机和点',
        'Chinese areas, companies and prefixes': '中国的区号、企业号和前缀',
        'Slashes, and 00 for the +': '斜杠，以及用 00 代替 +',
        Stars: '星号',
        'The same number written twice has the same hash': '同一号码的不同写法散列相同',
        'Local numbers of chosen regions': '所选地区的本地号码',
        'Other numbers are kept': '其他数字保留',
      },
    },
  }),
};

export const phoneMasker = defineOperator({
  ...declared,
  params: Type.Object({
    ...maskingParams,
    regions: listParam({
      title: 'Local numbers of',
      maxItems: 300,
      description:
        'Country codes (ISO 3166, such as DE, FR, IN) whose numbers are also masked without their country calling code',
    }),
  }),
  check: ({ regions, ...masking }) => {
    const code = codesOf(regions).find((one) => !isSupportedCountry(one.toUpperCase()));
    return code === undefined
      ? checkMasking(masking)
      : { field: 'regions', problem: problems.NO_REGION.reason({ code }) };
  },
  chinese: {
    ...declared.chinese,
    params: {
      ...maskingChinese,
      regions: {
        title: '本地号码的地区',
        help: '国家代码（ISO 3166，如 DE、FR、IN）；这些地区的号码不带国家代码时也会被遮盖',
      },
    },
    reasons: { NO_REGION: '须为国家代码，如 DE、FR；{code} 不是' },
  },
  each: ({ regions, ...masking }) => {
    const replace = replacementOf('PHONE', masking, withoutSeparators);
    const local = maskPhoneNumbersOf(codesOf(regions).map((code) => code.toUpperCase() as CountryCode));
    return (sample: SampleOf<'text'>): SampleChanges => {
      const text = local(maskPhoneNumbers(sample.text, replace), replace);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
