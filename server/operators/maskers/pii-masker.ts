import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { maskCardNumbers } from './card-numbers.ts';
import { hasDigit } from './character-forms.ts';
import { maskEmails } from './email-addresses.ts';
import { maskIpAddresses } from './ip-addresses.ts';
import { maskPhoneNumbers } from './phone-numbers.ts';

const kinds = {
  email: Type.Boolean({ title: 'E-mail addresses', default: true, description: 'Mask e-mail addresses' }),
  phone: Type.Boolean({
    title: 'Telephone numbers',
    default: true,
    description: 'Mask valid telephone numbers: international with +, North American, Chinese',
  }),
  card: Type.Boolean({
    title: 'Payment cards',
    default: true,
    description:
      'Mask payment card numbers with the prefix, length and grouping of a known issuer and a correct check digit (Luhn)',
  }),
  ip: Type.Boolean({
    title: 'IP addresses',
    default: true,
    description:
      'Mask IPv4 and IPv6 addresses. Four numbers below 100 (1.2.3.4) may be a version number and are masked only next to network terms or symbols (from 1.2.3.4 port 22)',
  }),
};

/** The kinds of findings, masked in this order. */
const found = {
  email: { name: 'emails', description: 'E-mail addresses', mask: maskEmails, mark: '[EMAIL]', needsDigit: false },
  card: { name: 'cards', description: 'Payment card numbers', mask: maskCardNumbers, mark: '[CARD]', needsDigit: true },
  ip: { name: 'ips', description: 'IP addresses', mask: maskIpAddresses, mark: '[IP]', needsDigit: true },
  phone: {
    name: 'phones',
    description: 'Telephone numbers',
    mask: maskPhoneNumbers,
    mark: '[PHONE]',
    needsDigit: true,
  },
} as const;

export const piiMasker = defineOperator({
  id: 'pii-masker',
  version: '2.4.0',
  name: 'Mask personal data',
  description:
    'Replaces e-mail addresses, telephone numbers, payment card numbers and IP addresses with [EMAIL], [PHONE], [CARD] and [IP]. They are recognized by their format: names and data in other formats are kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['privacy'],
  params: Type.Object(kinds),
  measures: Object.values(found).map(({ name, description }) => ({ name, description, scale: 'COUNT' })),
  measure: ({ text }) => {
    let masked = text;
    return Object.values(found).map(({ mask, mark, needsDigit }) => {
      if (needsDigit && !hasDigit(masked)) return 0;
      let count = 0;
      masked = mask(masked, () => {
        count += 1;
        return mark;
      });
      return count;
    });
  },
  examples: [
    {
      title: 'E-mail addresses',
      params: {},
      input: 'Write to jane.doe+news@mail.example.org, please.',
      output: 'Write to [EMAIL], please.',
    },
    {
      title: 'Telephone numbers',
      params: {},
      input: 'Call +44 20 7946 0958, (212) 555-0123 or 138 0013 8000.',
      output: 'Call [PHONE], [PHONE] or [PHONE].',
    },
    {
      title: 'Card numbers with a correct check digit',
      params: {},
      input: '4111 1111 1111 1111 but not 4111 1111 1111 1112',
      output: '[CARD] but not 4111 1111 1111 1112',
    },
    {
      title: 'IP addresses',
      params: {},
      input: 'from 192.168.0.17 and 2001:db8::8a2e:370:7334, version 1.2.3.4.5',
      output: 'from [IP] and [IP], version 1.2.3.4.5',
    },
    {
      title: 'Only selected kinds',
      params: { email: false, phone: false },
      input: 'a@b.example +1 212 555 0123 10.0.0.1',
      output: 'a@b.example +1 212 555 0123 [IP]',
    },
    {
      title: 'Other numbers are kept',
      params: {},
      input: 'In 2024: 3.14159, 12:30, 1,000,000',
      output: 'In 2024: 3.14159, 12:30, 1,000,000',
    },
  ],
  chinese: {
    name: '遮盖个人信息',
    description:
      '用标记代替电子邮件地址、电话号码、支付卡号和 IP 地址：[EMAIL]、[PHONE]、[CARD]、[IP]。按其形式识别：形式不同的以及人名会保留。',
    measures: { emails: '电子邮件地址的个数', cards: '支付卡号的个数', ips: 'IP 地址的个数', phones: '电话号码的个数' },
    params: {
      email: { title: '电子邮件地址', help: '遮盖电子邮件地址' },
      phone: { title: '电话号码', help: '遮盖实际使用的电话号码：带 + 的国际号码、北美号码、中国号码' },
      card: { title: '支付卡号', help: '遮盖支付卡号：前缀、长度和分组符合已知发卡机构，且校验位（Luhn）正确' },
      ip: {
        title: 'IP 地址',
        help: '遮盖 IP 地址，第 4 版和第 6 版。四个都小于 100 的数（1.2.3.4）可能是版本号：只在网络用语或符号旁才算（from 1.2.3.4 port 22）',
      },
    },
    examples: {
      'E-mail addresses': '电子邮件地址',
      'Telephone numbers': '电话号码',
      'Card numbers with a correct check digit': '校验位正确的卡号',
      'IP addresses': 'IP 地址',
      'Only selected kinds': '只遮盖所要求的',
      'Other numbers are kept': '其他数字保留',
    },
  },
  each: (params) => (sample) => {
    let { text } = sample;
    if (params.email) text = maskEmails(text, () => found.email.mark);
    if (hasDigit(text)) {
      if (params.card) text = maskCardNumbers(text, () => found.card.mark);
      if (params.ip) text = maskIpAddresses(text, () => found.ip.mark);
      if (params.phone) text = maskPhoneNumbers(text, () => found.phone.mark);
    }
    return text === sample.text ? sample : { ...sample, text };
  },
});
