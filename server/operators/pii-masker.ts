import { Type } from 'typebox';
import { defineOperator } from './operator.ts';

// Every repetition is bounded, and none can match in two ways: time is in proportion to the text.
const emails =
  /(?<![\w.%+-])[\w%+-](?:[\w.%+-]{0,62}[\w%+-])?@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![\w-])/giu;
const cards = /(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d])/g;
const ipv4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d]|\.\d)/g;
const ipv6 = /(?<![\w:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])/gi;
const phones = /(?<![\w+.-])[+(]?\d[\d ().-]{5,22}\d(?![\w-])/g;

const northAmerican = /^\(?[2-9]\d{2}\)?[ .-]?[2-9]\d{2}[ .-]\d{4}$/;
const chineseMobile = /^1[3-9]\d[ -]?\d{4}[ -]?\d{4}$/;

const kinds = {
  email: Type.Boolean({ default: true, description: 'Mask addresses of electronic mail' }),
  phone: Type.Boolean({
    default: true,
    description: 'Mask telephone numbers: international with +, North American, Chinese mobile',
  }),
  card: Type.Boolean({
    default: true,
    description: 'Mask payment card numbers: 13 to 19 digits whose check digit (Luhn) is right',
  }),
  ip: Type.Boolean({ default: true, description: 'Mask addresses of the Internet protocol, version 4 and 6' }),
};

export const piiMasker = defineOperator({
  id: 'pii-masker',
  version: '1.0.0',
  name: 'Mask personal data',
  description:
    'Writes a mark in place of e-mail addresses, telephone numbers, payment card numbers and IP addresses: [EMAIL], [PHONE], [CARD], [IP]. It knows them by their form: what looks otherwise, and names, stay.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['privacy'],
  params: Type.Object(kinds),
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
      title: 'Card numbers with a right check digit',
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
      title: 'Only what is asked for',
      params: { email: false, phone: false },
      input: 'a@b.example +1 212 555 0123 10.0.0.1',
      output: 'a@b.example +1 212 555 0123 [IP]',
    },
    {
      title: 'Other numbers stay',
      params: {},
      input: 'In 2024: 3.14159, 12:30, 1,000,000',
      output: 'In 2024: 3.14159, 12:30, 1,000,000',
    },
  ],
  each: (params) => (sample) => {
    let { text } = sample;
    if (params.email && text.includes('@')) text = text.replace(emails, '[EMAIL]');
    if (params.ip && text.includes(':')) text = text.replace(ipv6, (found) => (isIpv6(found) ? '[IP]' : found));
    if ((params.card || params.ip || params.phone) && /\d/.test(text)) {
      if (params.card) text = text.replace(cards, (found) => (hasRightCheckDigit(found) ? '[CARD]' : found));
      if (params.ip) text = text.replace(ipv4, (found) => (isIpv4(found) ? '[IP]' : found));
      if (params.phone) text = text.replace(phones, (found) => (isPhone(found) ? '[PHONE]' : found));
    }
    return text === sample.text ? sample : { ...sample, text };
  },
});

function isIpv4(text: string): boolean {
  return text.split('.').every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
}

/** With `::` fewer than eight groups, without it exactly eight; a time of day is neither. */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  const groups = text.split(':').filter((group) => group !== '').length;
  if (halves.length > 2 || groups < 2) return false;
  if (halves.length === 1) return groups === 8 && text.split(':').length === 8;
  return groups < 8 && !halves.some((half) => half.startsWith(':') || half.endsWith(':'));
}

/** ISO/IEC 7812-1, annex B. */
function hasRightCheckDigit(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum > 0 && sum % 10 === 0;
}

/** ITU-T E.164 has at most 15 digits. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  if (text.startsWith('+')) return digits >= 8 && digits <= 15;
  return northAmerican.test(text) || chineseMobile.test(text);
}
