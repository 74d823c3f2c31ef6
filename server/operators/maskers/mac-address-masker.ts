import { defineOperator } from '../operator.ts';
import { inAllForms } from './character-forms.ts';
import { masker, withoutSeparators } from './masking.ts';
import type { Masker } from './masker.ts';

// Six groups with the same separator, or three groups with dots (Cisco); not part of a longer row, such as a fingerprint.
const macAddress =
  /(?<![\w:.-])(?:[\da-f]{2}(?<separator>[:-])(?:[\da-f]{2}\k<separator>){4}[\da-f]{2}|[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4})(?![\w]|[:.-][\da-f])/gi;

export const maskMacAddresses: Masker = inAllForms((text, replace) =>
  text.replace(macAddress, (found) => (isAddress(found) ? replace(found) : found)),
);

/**
 * No device has all zeros or all ones; groups that only have digits, with dots or hyphens, are dates and amounts
 * (12-30-45-…).
 */
function isAddress(found: string): boolean {
  const digits = found.replaceAll(/[:.-]/g, '');
  if (/^(?:0+|f+)$/i.test(digits)) return false;
  return found.includes(':') || /[a-f]/i.test(digits);
}

export const macAddressMasker = defineOperator(
  masker({
    id: 'mac-address-masker',
    version: '1.2.0',
    name: 'Mask hardware (MAC) addresses',
    description:
      'Masks hardware addresses (MAC, EUI-48): six groups of two hexadecimal digits separated by colons or hyphens, or three groups of four separated by dots. Fingerprints and longer sequences are kept.',
    tag: 'MAC',
    mask: maskMacAddresses,
    sameForm: withoutSeparators,
    examples: [
      {
        title: 'Colons, hyphens, dots',
        params: {},
        input: 'ether 00:1a:2b:3c:4d:5e, 00-1A-2B-3C-4D-5E, 001a.2b3c.4d5e',
        output: 'ether [MAC], [MAC], [MAC]',
      },
      { title: 'In Chinese text', params: {}, input: '物理地址：00:1A:2B:3C:4D:5E。', output: '物理地址：[MAC]。' },
      { title: 'Stars', params: { mode: 'STARS' }, input: '00:1a:2b:3c:4d:5e up', output: '***************** up' },
      {
        title: 'Longer sequences are kept',
        params: {},
        input: 'MD5 00:1a:2b:3c:4d:5e:6f:70, 12:30:45',
        output: 'MD5 00:1a:2b:3c:4d:5e:6f:70, 12:30:45',
      },
    ],
    chinese: {
      name: '遮盖硬件地址',
      description:
        '用标记代替硬件地址（MAC，EUI-48）：以冒号或连字符分开的六组两位十六进制数，或以点分开的三组四位十六进制数。指纹和更长的序列保留。',
      examples: {
        'Colons, hyphens, dots': '冒号、连字符、点',
        'In Chinese text': '中文文本中',
        Stars: '星号',
        'Longer sequences are kept': '更长的序列保留',
      },
    },
  }),
);
