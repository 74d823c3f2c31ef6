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
