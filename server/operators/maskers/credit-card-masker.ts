import { defineOperator } from '../operator.ts';
import { masker, withoutSeparators } from './masking.ts';
import { maskCardNumbers } from './card-numbers.ts';

export const creditCardMasker = defineOperator(
  masker({
    id: 'credit-card-masker',
    version: '1.2.0',
    name: 'Mask payment card numbers',
    description:
      'Masks payment card numbers with the prefix, length and grouping of a known issuer (Visa, Mastercard, Maestro, American Express, Diners Club, Discover, JCB, UnionPay, Mir, Elo) and a correct check digit (Luhn, ISO/IEC 7812-1). Other long numbers are kept.',
    tag: 'CARD',
    mask: maskCardNumbers,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'A correct check digit',
        params: {},
        input: '4111 1111 1111 1111 but not 4111 1111 1111 1112',
        output: '[CARD] but not 4111 1111 1111 1112',
      },
      { title: 'In Chinese text', params: {}, input: '卡号：6222021234567890128。', output: '卡号：[CARD]。' },
      {
        title: 'Maestro and Elo',
        params: {},
        input: '6759 6498 2643 8453, 6362 9700 0045 7013',
        output: '[CARD], [CARD]',
      },
      {
        title: 'Beside other numbers',
        params: {},
        input: 'order 77 4111111111111111 12/25 CVV 123, 5555 5555 5555 4444 378282246310005',
        output: 'order 77 [CARD] 12/25 CVV 123, [CARD] [CARD]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'pay 5555555555554444', output: 'pay ****************' },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: 'card: 378282246310005;', output: 'card: ;' },
    ],
    chinese: {
      name: '遮盖支付卡号',
      description:
        '用标记代替支付卡号：前缀、长度和分组符合已知发卡机构（Visa、Mastercard、Maestro、美国运通、大来、Discover、JCB、银联、Mir、Elo），且校验位正确（Luhn，ISO/IEC 7812-1）。其他长数字保留。',
      examples: {
        'A correct check digit': '校验位正确',
        'In Chinese text': '中文文本中',
        'Maestro and Elo': 'Maestro 和 Elo',
        'Beside other numbers': '在其他数字旁',
        Stars: '星号',
        Removal: '删除',
      },
    },
  }),
);
