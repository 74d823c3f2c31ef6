// The table of a sheet does not depend on how a program names the parts of its workbook and writes their XML.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDocumentOf, xlsxOf } from '../../../tests/support/document-files.ts';
import { packageVariants, repacked } from '../../../tests/support/package-variants.ts';
import { listSheets, writeSheet } from './read-workbook.ts';

const folder = mkdtempSync(join(tmpdir(), 'tilth-workbooks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function tableOf(bytes: Uint8Array, fileType: string, sheet: string): Promise<string[]> {
  const path = join(folder, `book.${fileType}`);
  writeFileSync(path, bytes);
  const workbook = { path, offset: 0, sizeBytes: bytes.length, fileType };
  assert.ok((await listSheets(workbook)).some(({ name }) => name === sheet));
  await writeSheet({ workbook, sheet, path: `${path}.jsonl` });
  return readFileSync(`${path}.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

const book = xlsxOf(
  {
    Fields: [
      ['name', 'day', 'work'],
      ['née Ü', { value: 45_292, style: 1 }, { value: 1.5, style: 2 }],
      ['数据', { value: 45_293, style: 1 }, { value: 0.25, style: 2 }],
    ],
    Other: [['x']],
  },
  ['yyyy-mm-dd', '[h]:mm'],
);
const rows = [
  '{"name":"née Ü","day":"2024-01-01","work":"36:00:00"}',
  '{"name":"数据","day":"2024-01-02","work":"06:00:00"}',
];

test('the table of a sheet, with times of over a day', async () => {
  assert.deepEqual(await tableOf(book, 'xlsx', 'Fields'), rows);
});

for (const { name, change } of packageVariants) {
  test(`the table of a workbook with ${name}`, async () => {
    assert.deepEqual(await tableOf(await repacked(book, change), 'xlsx', 'Fields'), rows);
  });
}

test('times of OpenDocument of over a day, below zero, and of parts of a second', async () => {
  const cells = ['PT36H00M00S', 'P1DT2H', '-PT1H30M', 'PT08H30M00.5S', 'PT625H']
    .map((time) => `<table:table-cell office:value-type="time" office:time-value="${time}"/>`)
    .join('');
  const sheet = `<office:spreadsheet><table:table table:name="S"><table:table-row>${cells}</table:table-row></table:table></office:spreadsheet>`;
  assert.deepEqual(await tableOf(openDocumentOf('spreadsheet', sheet), 'ods', 'S'), [
    '{"A":"36:00:00","B":"26:00:00","C":"-01:30:00","D":"08:30:00","E":"625:00:00"}',
  ]);
});
