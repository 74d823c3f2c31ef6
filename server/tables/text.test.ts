import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputProblems } from '../kernel/sentences/index.ts';
import { decodeText } from './text.ts';

const chinese = '数据准备服务把文件变成可以训练的样本。每一个被删除的样本都有原因，什么都不会消失。';
const gb = Buffer.from('cafdbeddd7bcb1b8b7fecef1b0d1cec4bcfeb1e4b3c9bfc9d2d4d1b5c1b7b5c4d1f9b1bea1a3', 'hex');

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const readable: readonly [title: string, bytes: Buffer, encoding: string, text: string][] = [
  ['nothing', Buffer.alloc(0), 'utf-8', ''],
  ['ASCII', Buffer.from('plain\n'), 'utf-8', 'plain\n'],
  ['UTF-8', Buffer.from(chinese), 'utf-8', chinese],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${chinese}`), 'utf-8', chinese],
  ['UTF-8 with control characters', Buffer.from('a\u0000\u0007b'), 'utf-8', 'a\u0000\u0007b'],
  ['UTF-16 little endian with its mark', Buffer.from(`\ufeff${chinese}`, 'utf16le'), 'utf-16le', chinese],
  ['UTF-16 big endian with its mark', utf16be(`\ufeff${chinese}`), 'utf-16be', chinese],
  [
    'UTF-16 little endian by its zeros',
    Buffer.from('The licence of this', 'utf16le'),
    'utf-16le',
    'The licence of this',
  ],
  ['UTF-16 big endian by its zeros', utf16be('The licence of this'), 'utf-16be', 'The licence of this'],
  ['GB18030', gb, 'gb18030', '数据准备服务把文件变成可以训练的样本。'],
  ['Latin-1, French', Buffer.from('Élève à côté, déjà reçu\n', 'latin1'), 'windows-1252', 'Élève à côté, déjà reçu\n'],
  ['Latin-1, German', Buffer.from('Größe, Übung, Straße', 'latin1'), 'windows-1252', 'Größe, Übung, Straße'],
  ['windows-1252', Buffer.from([0x93, 0x61, 0x94, 0x20, 0x80]), 'windows-1252', '“a” €'],
];
for (const [title, bytes, encoding, text] of readable) {
  test(`text is decoded: ${title}`, () => {
    const decoded = decodeText(bytes, true);
    assert.ok(decoded !== undefined && 'text' in decoded);
    assert.equal(decoded?.encoding, encoding);
    assert.equal(decoded.text, text);
  });
}

const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452000000100000001008060000001ff3ff61', 'hex'),
  Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) % 256)),
]);

test('an image is no text, whatever it is called', () => {
  assert.equal(decodeText(png, true), undefined);
  assert.equal(decodeText(png, false), undefined);
});

test('a zero byte makes an undeclared file no text', () => {
  assert.equal(decodeText(Buffer.from('ELF\u0000 and so on'), false), undefined);
  assert.partialDeepStrictEqual(decodeText(Buffer.from('LICENSE\n'), false), { text: 'LICENSE\n' });
});

test('a broken UTF-16 file says so', () => {
  assert.deepEqual(decodeText(Buffer.from('fffe00d8', 'hex'), true), {
    encoding: 'utf-16le',
    certainty: 'CERTAIN',
    problem: inputProblems.NOT_VALID_IN.reason({ encoding: 'UTF-16LE' }),
  });
});

test('an encoding that somebody named decides, and a mark before it', () => {
  const russian = Buffer.from('f0d2c9d7c5d4', 'hex');
  assert.partialDeepStrictEqual(decodeText(russian, true, 'koi8-r'), { text: 'Привет', certainty: 'GIVEN' });
  assert.partialDeepStrictEqual(decodeText(Buffer.from('\ufeffé'), true, 'koi8-r'), { text: 'é', encoding: 'utf-8' });
  assert.partialDeepStrictEqual(decodeText(russian, true, 'utf-8'), {
    problem: inputProblems.NOT_VALID_IN.reason({ encoding: 'UTF-8' }),
  });
});
