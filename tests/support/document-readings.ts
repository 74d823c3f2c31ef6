import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '../../server/documents/document-reader.ts';
import { documentLimits, type DocumentReceipt } from '../../server/documents/receipt.ts';

/** A document and what is read of it; of the receipt, the fields that are given. */
export type DocumentReading = {
  name: string;
  type: string;
  bytes: Uint8Array;
  markdown: string;
  receipt: Partial<DocumentReceipt>;
};

/** Registers a test for each reading. */
export function testReadings(readings: readonly DocumentReading[]): void {
  for (const { name, type, bytes, markdown, receipt } of readings) {
    test(`reads ${name}`, async () => {
      const read = await readDocument(bytes, type, documentLimits);
      assert.equal(read.markdown, markdown);
      assert.partialDeepStrictEqual(read.receipt, receipt);
      assert.equal(read.receipt.characters, [...markdown].length);
      for (const { start, end } of read.pages) assert.ok(start < end && end <= markdown.length);
    });
  }
}
