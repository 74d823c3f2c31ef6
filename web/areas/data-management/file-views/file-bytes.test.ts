import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTextParts, detectEncoding } from './file-bytes.ts';

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

test('encodings are told from the first bytes', () => {
  assert.equal(detectEncoding(new TextEncoder().encode('héllo 中文'), true), 'utf-8');
  assert.equal(detectEncoding(bytesOf(0xff, 0xfe, 0x41, 0), true), 'utf-16le');
  assert.equal(detectEncoding(bytesOf(0xfe, 0xff, 0, 0x41), true), 'utf-16be');
  assert.equal(detectEncoding(bytesOf(0xd6, 0xd0, 0xce, 0xc4), true), 'gb18030');
  assert.equal(detectEncoding(bytesOf(0x63, 0x61, 0x66, 0xe9), true), 'windows-1252');
  assert.equal(detectEncoding(bytesOf(), true), 'utf-8');
});

test('a character cut in two at the end of a part is no other encoding', () => {
  assert.equal(detectEncoding(new TextEncoder().encode('中').subarray(0, 2), false), 'utf-8');
});

test('bytes that are no text are not shown as one', () => {
  assert.equal(detectEncoding(bytesOf(0x89, 0x50, 0x4e, 0x47, 0, 0), true), undefined);
  assert.equal(detectEncoding(bytesOf(0x80, 0x01, 0x02, 0xff, 0x03), true), undefined);
});

test('a text in parts is the text', () => {
  const bytes = new TextEncoder().encode('aé中🙂z');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const parts = createTextParts('utf-8');
    assert.equal(parts.add(bytes.subarray(0, cut), false) + parts.add(bytes.subarray(cut), true), 'aé中🙂z');
  }
});
