import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeText } from '../tables/encoder.ts';
import { decodeUncommon, decodeWhole } from './decoded-text.ts';
import type { Encoding } from './encodings.ts';

const russian = 'Здравствуйте, Иван Петрович! Направляем вам договор и просим подписать его.';
const german = 'Übermäßige Größen für die Straße, schöne Grüße aus Köln.';

/** A text, its encoding, and the encoding that it declares. */
const declarations: readonly [text: string, encoding: Encoding, declared: string | undefined, isGuess: boolean][] = [
  [russian, 'windows-1251', undefined, true],
  [russian, 'koi8-r', undefined, true],
  [russian, 'ibm866', undefined, true],
  [russian, 'x-mac-cyrillic', undefined, true],
  [russian, 'koi8-r', 'koi8-r', false],
  [russian, 'windows-1251', 'utf-8', true],
  [russian, 'windows-1251', 'iso-8859-1', true],
  [russian, 'utf-8', 'windows-1251', false],
  [german, 'windows-1252', undefined, true],
  [german, 'windows-1252', 'latin1', false],
  [german, 'windows-1252', 'utf-8', true],
  [german, 'windows-1252', 'no such encoding', true],
  [german, 'macintosh', undefined, true],
  [german, 'macintosh', 'x-macintosh', false],
  [german, 'utf-16le', undefined, false],
  ['これは文字コードの宣言がない日本語のページです。', 'shift_jis', undefined, true],
  ['これは文字コードの宣言がない日本語のページです。', 'euc-jp', 'x-euc-jp', false],
  ['Καλημέρα κόσμε, αυτό είναι ένα κείμενο.', 'windows-1253', undefined, true],
  ['Zażółć gęślą jaźń, proszę o podpisanie umowy.', 'iso-8859-2', 'cp1252', true],
];
for (const [text, encoding, declared, isGuess] of declarations) {
  test(`text in ${encoding}, declared as ${declared ?? 'nothing'}: ${text.slice(0, 10)}`, () => {
    const bytes = encodeText(text, encoding);
    assert.ok(bytes !== undefined);
    const whole = decodeWhole(bytes, [declared]);
    if (encoding !== 'iso-8859-2') assert.equal(whole.text, text);
    assert.equal(whole.isGuess, isGuess);
    assert.equal(whole.contradicted, isGuess && declared?.startsWith('no ') !== true ? declared : undefined);
  });
}

const escaped: readonly [label: string, bytes: Buffer, text: string][] = [
  ['iso-2022-jp', Buffer.from('Hi \x1b$B$3$l$OF|K\\8l\x1b(B.', 'latin1'), 'Hi これは日本語.'],
  ['iso-2022-kr', Buffer.from('\x1b$)C\x0e>H3gGO<<?d\x0f!', 'latin1'), '안녕하세요!'],
  ['hz-gb-2312', Buffer.from('This ~~ is ~{VPNDWV~}.', 'latin1'), 'This ~ is 中文字.'],
];
for (const [label, bytes, text] of escaped) {
  test(`escape sequences of ${label}`, () => {
    assert.equal(decodeWhole(bytes, [label]).text, text);
    // HZ looks like ASCII, so that only its declaration counts.
    assert.equal(decodeWhole(bytes).text, label.startsWith('hz') ? bytes.toString('latin1') : text);
  });
}

test('colours of a terminal are not an encoding', () => {
  const bytes = Buffer.from('\x1b[31mred\x1b[0m and \x1b(B plain');
  assert.equal(decodeUncommon(bytes), undefined);
  assert.equal(decodeWhole(bytes, ['iso-2022-jp']).text, bytes.toString());
});

for (const order of ['LE', 'BE'] as const) {
  for (const mark of ['\ufeff', '']) {
    test(`UTF-32${order} ${mark === '' ? 'without' : 'with'} a mark`, () => {
      const text = 'Grüße 中文 😀';
      const bytes = Buffer.concat(
        [...(mark + text)].map((character) => {
          const unit = Buffer.alloc(4);
          unit[`writeUInt32${order}`](character.codePointAt(0) ?? 0);
          return unit;
        }),
      );
      assert.deepEqual(decodeUncommon(bytes), { text, encoding: `utf-32${order.toLowerCase()}` });
    });
  }
}

test('a few broken bytes in a declared encoding stay in it', () => {
  const bytes = Buffer.concat([Buffer.from('数据准备服务把文件变成可以训练的样本'.repeat(4)), Buffer.from([0xff])]);
  assert.equal(decodeWhole(bytes, ['utf-8']).isGuess, false);
  assert.equal(decodeWhole(bytes, ['utf-8']).text.match(/\ufffd/g)?.length, 1);
});
