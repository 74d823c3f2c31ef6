import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPdf } from './sample-pdf.ts';
import { sampleNotes, sampleReviews } from './sample-rows.ts';

test('the sample has what cleaning is for: thousands of rows, repeats, personal data, broken lines', () => {
  const lines = sampleNotes(3_000).trimEnd().split('\n');
  const texts: string[] = [];
  let broken = 0;
  for (const line of lines) {
    try {
      texts.push((JSON.parse(line) as { text: string }).text);
    } catch {
      broken += 1;
    }
  }
  assert.deepEqual([texts.length, broken], [3_000, 12]);
  assert.ok(texts.length - new Set(texts).size > 200, 'exact duplicates');
  assert.ok(texts.filter((text) => /@example\.(?:com|org|net)/.test(text)).length > 200, 'addresses');
  assert.ok(texts.filter((text) => text.includes('\u0000')).length > 100, 'control characters');
  assert.ok(texts.filter((text) => /[\u4e00-\u9fff]/.test(text)).length > 100, 'Chinese');
  assert.equal(sampleNotes(50), sampleNotes(50), 'the same every time');
  assert.match(sampleReviews(1_200), /\n400\.5,a row,with,too many,cells\n/);
});

test('the PDF has its objects where its table says', () => {
  const pdf = new TextDecoder().decode(createPdf(Array.from({ length: 90 }, (_, line) => `Line (${line})`)));
  const table = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
  assert.ok(pdf.startsWith('xref', table));
  const offsets = [...pdf.slice(table).matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset));
  assert.equal(offsets.length, 9, 'catalogue, pages, font, and two for each of three pages');
  for (const [index, offset] of offsets.entries())
    assert.ok(pdf.startsWith(`${index + 1} 0 obj`, offset), String(index));
});
