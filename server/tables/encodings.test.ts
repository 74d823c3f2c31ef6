import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectEncoding, type Encoding } from './encodings.ts';

const detect = (bytes: Uint8Array, isWholeFile = true): Encoding | undefined =>
  detectEncoding({ bytes, isWholeFile }, true)?.encoding;

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const western = [
  'é',
  'Größe',
  'ÄÖÜ',
  'ÜBUNG',
  'INFORMAÇÃO',
  'ação',
  'naïve café',
  '« É »',
  '¿Qué?',
  'São Paulo',
  'créée',
  'Ærø',
  'smörgåsbord',
  'DÉJÀ VU',
  'Zürich; Straße; Öl',
  '5 °C',
  '£ 3 © 2020',
  'Ñandú',
  'Le cœur a ses raisons'.replace('œ', 'oe'),
  'Übermäßig ähnliche Größen, für die Straße',
];
for (const text of western) {
  test(`western text, however short: ${text}`, () => {
    assert.equal(detect(latin1(text)), text === 'Le coeur a ses raisons' ? 'utf-8' : 'windows-1252');
  });
}

// GB18030 bytes, written out: Node writes no such text.
const chinese: readonly [text: string, bytes: string][] = [
  ['高', 'b8df'],
  ['中文', 'd6d0 cec4'],
  ['你好', 'c4e3 bac3'],
  ['Hello 世界', '48656c6c6f20 cac0 bde7'],
  ['价格：30元', 'bcdb b8f1 a3ba 3330 d4aa'],
  ['ID,名称', '49442c c3fb b3c6'],
  ['“引用”', 'a1b0 d2fd d3c3 a1b1'],
  ['第1章', 'b5da 31 d5c2'],
  ['测试a文本b', 'b2e2 cad4 61 cec4 b1be 62'],
];
for (const [text, bytes] of chinese) {
  test(`Chinese text in GB18030, however short: ${text}`, () => {
    assert.equal(new TextDecoder('gb18030').decode(hex(bytes)), text);
    assert.equal(detect(hex(bytes)), 'gb18030');
  });
}

for (const text of [
  'hi',
  'ab\n',
  'The cat\n',
  'Привет, мир. Это текст\n',
  '안녕하세요 세계 여러분\n',
  '数据，准备\n数据',
  '日本語のテキスト、です\n',
]) {
  test(`UTF-16 without a mark: ${JSON.stringify(text)}`, () => {
    assert.equal(detect(Buffer.from(text, 'utf16le')), 'utf-16le');
    assert.equal(detect(Buffer.from(text, 'utf16le').swap16()), 'utf-16be');
  });
}

const others: readonly [title: string, bytes: Buffer][] = [
  ['Korean in EUC-KR', hex('b4ebc7d1b9ceb1b9c0c720b1b9b9cec0ba20b8f0b5ce20b9fd20bed5bfa120c6f2b5eec7cfb4d9')],
  ['Russian in windows-1251', hex('cff0e8e2e5f22c20ece8f02e20ddf2ee20f2e5eaf1f220ede020f0f3f1f1eaeeec')],
  ['Japanese in EUC-JP', hex('a4b3a4eca4cfc6fccbdcb8eca4cecab8becfa4c7a4b9a1a3')],
];
for (const [title, bytes] of others) {
  test(`text in none of the encodings is not taken for one: ${title}`, () => {
    assert.equal(detect(bytes), undefined);
  });
}

test('a few broken bytes make UTF-8 no other encoding', () => {
  assert.equal(detect(Buffer.concat([Buffer.from('données, déjà, été'), Buffer.from([0xe9])])), 'utf-8');
  assert.equal(detect(Buffer.concat([Buffer.from('é'), latin1('données, déjà, été')])), 'windows-1252');
});

test('a head may end within a character', () => {
  for (const encoding of ['utf-8', 'utf16le'] as const) {
    const whole = Buffer.from('数据，准备服务\n把文件变成样本。', encoding);
    for (let length = 12; length < whole.length; length += 1) {
      assert.equal(detect(whole.subarray(0, length), false), encoding === 'utf-8' ? 'utf-8' : 'utf-16le', `${length}`);
    }
  }
  const gb = hex('cafdbeddd7bcb1b8b7fecef1b0d1cec4bcfeb1e4b3c9bfc9d2d4d1b5c1b7b5c4d1f9b1bea1a3');
  for (let length = 8; length < gb.length; length += 1) assert.equal(detect(gb.subarray(0, length), false), 'gb18030');
});

test('the byte order mark decides', () => {
  assert.deepEqual(detectEncoding({ bytes: hex('efbbbf'), isWholeFile: true }, true), {
    encoding: 'utf-8',
    markBytes: 3,
  });
  assert.deepEqual(detectEncoding({ bytes: hex('fffe'), isWholeFile: true }, true), {
    encoding: 'utf-16le',
    markBytes: 2,
  });
  assert.deepEqual(detectEncoding({ bytes: hex('feff'), isWholeFile: true }, true), {
    encoding: 'utf-16be',
    markBytes: 2,
  });
});
