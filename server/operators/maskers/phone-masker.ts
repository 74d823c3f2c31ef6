import { defineOperator } from '../operator.ts';
import { masker, withoutSeparators } from './masking.ts';
import { maskPhoneNumbers } from './personal-data.ts';

export const phoneMasker = defineOperator(
  masker({
    id: 'phone-masker',
    version: '1.1.0',
    name: 'Mask telephone numbers',
    description:
      'Puts a mark in place of telephone numbers that are in use by the numbering plans of libphonenumber: international ones with +, North American and Chinese ones also without; an extension belongs to its number. Counts, dates and numbers of programs stay.',
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
        title: 'Extensions and points',
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
      { title: 'Stars', params: { mode: 'STARS' }, input: 'Tel 13800138000', output: 'Tel ***********' },
      {
        title: 'The same number written twice has the same hash',
        params: { mode: 'HASH', key: 'my key' },
        input: '13800138000 or 138 0013 8000',
        output: '[PHONE:ekknkbabbmbdledi] or [PHONE:ekknkbabbmbdledi]',
      },
      {
        title: 'Other numbers stay',
        params: {},
        input: 'total 13800138000, +2147483647',
        output: 'total 13800138000, +2147483647',
      },
    ],
    chinese: {
      name: '遮盖电话号码',
      description:
        '用标记代替电话号码，依据 libphonenumber 的号码规划，只认实际使用的号段：带 + 的国际号码，以及不带 + 的北美和中国号码；分机号属于号码。计数、日期和程序中的数字保留。',
      examples: {
        'International, North American, Chinese': '国际、北美、中国号码',
        'In Chinese text': '中文文本中',
        'No-break spaces and full-width digits': '不换行空格和全角数字',
        'Extensions and points': '分机和点',
        'Chinese areas, companies and prefixes': '中国的区号、企业号和前缀',
        Stars: '星号',
        'The same number written twice has the same hash': '同一号码的不同写法散列相同',
        'Other numbers stay': '其他数字保留',
      },
    },
  }),
);
