import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeParts } from './file-bytes.ts';

test('a text in parts is the text', () => {
  const bytes = new TextEncoder().encode('aé中🙂z');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    assert.equal(decodeParts([bytes.subarray(0, cut), bytes.subarray(cut)], 'utf-8', true), 'aé中🙂z');
  }
});

test('a character that is cut is shown when the rest of it has come', () => {
  const bytes = new TextEncoder().encode('a中');
  assert.equal(decodeParts([bytes.subarray(0, 2)], 'utf-8', false), 'a');
  assert.equal(decodeParts([bytes.subarray(0, 2)], 'utf-8', true), 'a\uFFFD');
});

test('a text is decoded in the encoding that the service found', () => {
  assert.equal(decodeParts([Uint8Array.of(0x63, 0x61, 0x66, 0xe9)], 'windows-1252', true), 'café');
  assert.equal(decodeParts([Uint8Array.of(0xd6, 0xd0, 0xce, 0xc4)], 'gb18030', true), '中文');
});
