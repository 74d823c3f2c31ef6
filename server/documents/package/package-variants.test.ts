// A package is read by its relationships and namespaces: however it names its parts and writes its XML, the text is the
// same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xlsxOf } from '../../../tests/support/document-files.ts';
import { packageVariants, repacked } from '../../../tests/support/package-variants.ts';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

const documents: Readonly<Record<string, Buffer>> = {
  xlsx: xlsxOf(
    {
      Fields: [
        ['name', 'day', 'yield & more'],
        ['née Ü', { value: 45_292, style: 1 }, { formula: 'A2*2', value: 2.5 }],
      ],
      Hidden: [['数据']],
    },
    ['yyyy-mm-dd'],
    ['Hidden'],
  ),
};

for (const [type, bytes] of Object.entries(documents)) {
  for (const { name, change } of packageVariants) {
    test(`${type} with ${name}`, async () => {
      const usual = await readDocument(bytes, type, documentLimits);
      const read = await readDocument(await repacked(bytes, change), type, documentLimits);
      assert.deepEqual(read, usual);
    });
  }
}
