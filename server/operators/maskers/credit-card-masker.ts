import { defineOperator } from '../operator.ts';
import { masker, withoutSeparators } from './masking.ts';
import { maskCardNumbers } from './personal-data.ts';

export const creditCardMasker = defineOperator(
  masker({
    id: 'credit-card-masker',
    version: '1.1.0',
    name: 'Mask payment card numbers',
    description:
      'Puts a mark in place of payment card numbers: prefix, length and grouping of a known issuer and a right check digit (Luhn, ISO/IEC 7812-1). Other long numbers stay.',
    tag: 'CARD',
    mask: maskCardNumbers,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'A right check digit',
        params: {},
        input: '4111 1111 1111 1111 but not 4111 1111 1111 1112',
        output: '[CARD] but not 4111 1111 1111 1112',
      },
      { title: 'In Chinese text', params: {}, input: '卡号：6222021234567890128。', output: '卡号：[CARD]。' },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'pay 5555555555554444', output: 'pay ****************' },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: 'card: 378282246310005;', output: 'card: ;' },
    ],
    chinese: {
      name: '遮盖支付卡号',
      description:
        '用标记代替支付卡号：前缀、长度和分组符合已知发卡机构，且校验位正确（Luhn，ISO/IEC 7812-1）。其他长数字保留。',
      examples: {
        'A right check digit': '校验位正确',
        'In Chinese text': '中文文本中',
        Stars: '星号',
        Removal: '删除',
      },
    },
  }),
);
