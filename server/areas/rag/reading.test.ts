import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeText } from '../../tables/encoder.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { readPlainFile } from './reading.ts';

const russian = 'Привет, мир! Это обычный русский текст. Он нужен для проверки кодировки.';

function wide(text: string): Buffer {
  const units = [...text].map((character) => {
    const unit = Buffer.alloc(4);
    unit.writeUInt32LE(character.codePointAt(0) ?? 0);
    return unit;
  });
  return Buffer.concat(units);
}

/** Bytes of a text file, its text, and the warnings of its receipt. */
const texts: readonly [name: string, bytes: Uint8Array | undefined, text: string, warnings: readonly string[]][] = [
  ['ISO-2022-JP', Buffer.from('\x1b$B$3$l$OF|K\\8l\x1b(B.', 'latin1'), 'これは日本語.', []],
  ['UTF-32 with a mark', wide('\ufeffGrüße 中文'), 'Grüße 中文', []],
  ['UTF-32 without a mark', wide('Grüße 中文'), 'Grüße 中文', []],
  ['UTF-16 without a mark', Buffer.from('plain text', 'utf16le'), 'plain text', []],
  ['UTF-8', Buffer.from('Größe'), 'Größe', []],
  ['windows-1251', encodeText(russian, 'windows-1251'), russian, ['its encoding is a guess: WINDOWS-1251']],
  ['KOI8', encodeText(russian, 'koi8-u'), russian, ['its encoding is a guess: KOI8-U']],
  ['a Cyrillic Macintosh', encodeText(russian, 'x-mac-cyrillic'), russian, ['its encoding is a guess: X-MAC-CYRILLIC']],
  [
    'characters that were replaced before',
    Buffer.from('a \ufffd b \ufffd'),
    'a \ufffd b \ufffd',
    ['2 characters could not be decoded: U+FFFD stands in their place, at 3, 7 of the text'],
  ],
  [
    'UTF-8 with a byte that is none',
    Buffer.concat([Buffer.from(`${russian} `), Buffer.from([0xff]), Buffer.from(` ${russian}`)]),
    `${russian} \ufffd ${russian}`,
    ['1 character could not be decoded: U+FFFD stands in its place, at 74 of the text'],
  ],
  [
    'UTF-8 that ends within a character',
    Buffer.from(russian).subarray(0, -2),
    `${russian.slice(0, -2)}\ufffd`,
    ['1 character could not be decoded: U+FFFD stands in its place, at 71 of the text'],
  ],
];
for (const [name, bytes, text, warnings] of texts) {
  test(`reads a text file: ${name}`, async () => {
    assert.ok(bytes !== undefined);
    const reader = {
      facts: { sizeBytes: bytes.length },
      read: async (into: Uint8Array) => {
        into.set(bytes);
        return bytes.length;
      },
      close: async () => {},
    };
    const blobs = { open: async () => reader } as unknown as Pick<BlobStore, 'open'>;
    const file = await readPlainFile({ blobs }, { blobId: 'b', fileType: 'txt' });
    assert.ok(file !== undefined && 'text' in file.reading);
    assert.equal(file.reading.text, text);
    assert.deepEqual(file.reading.receipt.warnings, warnings);
  });
}

sharedApp(import.meta.url).forAnyDatabase(
  'a document without text keeps the receipt of what was found',
  async (_t, service) => {
    const base = await createKnowledgeBase(service);
    await base.add({ 'deleted.rtf': '{\\rtf1\\ansi {\\deleted This was struck out.}}' });
    const [document] = await base.settled();
    assert.deepEqual([document?.status, document?.cause], ['FAILED', 'there is no text in it']);
    assert.deepEqual(document?.receipt?.warnings, ['text that tracked changes delete left out: 20 characters']);
  },
);
