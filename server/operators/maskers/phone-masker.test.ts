import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseParams } from '../index.ts';
import { phoneMasker as operator } from './phone-masker.ts';

test('local telephone numbers of chosen regions are masked, figures that are none stay', () => {
  const masked = (regions: string, text: string): string => {
    const parsed = parseParams(operator, { regions });
    assert.ok(parsed.ok, regions);
    const outcome = operator.each(parsed.params)({ text });
    return 'text' in outcome ? (outcome.text ?? '') : '';
  };
  const numbers: readonly [region: string, text: string][] = [
    ['DE', 'Rufen Sie an: 030 901820'],
    ['DE', 'Praxis (089) 12345678, täglich'],
    ['FR', 'Tél. 01 42 68 53 00'],
    ['GB', 'Phone 0131 225 1200'],
    ['IN', 'Mobile: 98765 43210'],
    ['ES', 'Teléfono: 912 345 678'],
    ['JP', '電話 03-3581-0110'],
    ['AU', 'call 02 9374 4000'],
    ['id', 'Telp. 021 3456789'],
  ];
  for (const [region, text] of numbers) {
    assert.match(masked(region, text), /\[PHONE\]/, `${region}: ${text}`);
    assert.equal(masked('', text).includes('[PHONE]'), false, `without a region: ${text}`);
  }
  const figures = [
    'On 2024-01-15 at 10:30 we sold 030901820 grains',
    'article 912 345 678, 01.02.2024, 3.1415926535',
    'ISBN 978-3-16-148410-0, version 0.12.345.6789',
    '0x01426853 and 0.1426853001',
  ];
  for (const text of figures) assert.equal(masked('DE,FR,GB,ES,IN,JP', text), text);
  assert.equal(parseParams(operator, { regions: 'DE, Atlantis' }).ok, false);
});

test('international numbers with a slash behind the area, (0) or 00 are masked whole, with and without regions', () => {
  for (const regions of ['', 'DE']) {
    const parsed = parseParams(operator, { regions });
    assert.ok(parsed.ok);
    const each = operator.each(parsed.params);
    const masked = (text: string): string => {
      const outcome = each({ text });
      return 'text' in outcome ? (outcome.text ?? '') : '';
    };
    const numbers = [
      '+49 30 / 901820',
      '+49 (0)30 / 90 18 20',
      '+49 (0) 30 / 901820',
      '+49 (0)30 901820',
      '(+49) 30 / 901820',
      '0049 151 23456789',
      '0049 (0)30 / 90 18 20',
      '0049-30-901820',
    ];
    for (const number of numbers) assert.equal(masked(`Büro ${number}, täglich`), 'Büro [PHONE], täglich', number);
    assert.equal(masked('+44 20 7946 0958 / 2024'), '[PHONE] / 2024');
    for (const figures of ['0049 1512', '004915123456789', 'rows 0000 1234 5678 9012', '0012 3456 7890 1234'])
      assert.equal(masked(figures), figures);
  }
});

test('numbers in brackets, with the 1 of North America and with points are masked; counts and codes stay', () => {
  const masked = (text: string, regions = ''): string => {
    const parsed = parseParams(operator, { regions });
    assert.ok(parsed.ok);
    const outcome = operator.each(parsed.params)({ text });
    return 'text' in outcome ? (outcome.text ?? '') : '';
  };
  for (const [text, expected] of [
    ['Phone (212-736-5000), daily', 'Phone ([PHONE]), daily'],
    ['write or call us (800-292-9263)', 'write or call us ([PHONE])'],
    ['总机（010-62782051）', '总机（[PHONE]）'],
    ['phone: 12127365000', 'phone: [PHONE]'],
    ['<a href="tel:12127365000">', '<a href="tel:[PHONE]">'],
    ['{"phone":"12127365000"}', '{"phone":"[PHONE]"}'],
    ['+(49) 7123 14881', '[PHONE]'],
    ['Nouméa +687 20.12.34', 'Nouméa [PHONE]'],
    ['Nouméa +687.20.12.34', 'Nouméa [PHONE]'],
  ] as const)
    assert.equal(masked(text), expected);
  assert.equal(masked('Büro (030 1234567), täglich', 'DE'), 'Büro ([PHONE]), täglich');
  assert.equal(masked('Phone 01624 661177', 'IM'), 'Phone [PHONE]');
  for (const figures of [
    '16769056768 bytes',
    '13912345678 rows were read',
    'duration 13512345678 ns',
    'maxMemory\\:16769056768',
    'raw_syscalls__sys_enter 1 00840.847755445',
    'f(212-736-5000)',
    '+687 20.12',
  ])
    assert.equal(masked(figures), figures);
});
