import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epubOf } from '../../tests/support/document-files.ts';
import { encodeText } from '../tables/encoder.ts';
import type { Encoding } from '../encodings/encodings.ts';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

async function read(bytes: Uint8Array, type: string): Promise<{ markdown: string; warnings: string[] }> {
  const { markdown, receipt } = await readDocument(bytes, type, documentLimits);
  return { markdown, warnings: receipt.warnings };
}

function encode(text: string, encoding: Encoding): Uint8Array {
  const bytes = encodeText(text, encoding);
  assert.ok(bytes !== undefined);
  return bytes;
}

const russian = 'Привет мир, это русский текст без объявления кодировки.';
const german = 'Der Käufer zahlt für Größe und Maß.';
const texts: readonly [Encoding, string][] = [
  ['windows-1251', russian],
  ['koi8-u', russian],
  ['x-mac-cyrillic', russian],
  ['windows-1252', german],
  ['macintosh', german],
  ['shift_jis', 'これは文字コードの宣言がない日本語のページです。'],
  ['gb18030', '数据准备服务把文件变成可以训练的样本。'],
];
const guessed = (encoding: string): string =>
  `the encoding of the text is not declared: ${encoding.toUpperCase()} is a guess`;

for (const [encoding, text] of texts) {
  test(`a page and a message in ${encoding} that declare nothing are read, and it is said`, async () => {
    const page = await read(encode(`<html><body><p>${text}</p></body></html>`, encoding), 'html');
    assert.deepEqual(page, { markdown: text, warnings: [guessed(encoding)] });
    const message = encode(`From: a@example.org\r\nSubject: report\r\n\r\n${text}\r\n`, encoding);
    const mail = await read(message, 'eml');
    assert.equal(mail.markdown, `# report\n\nFrom: a@example.org\n\n${text}`);
    assert.deepEqual(mail.warnings, [guessed(encoding)]);
  });
}

test('a page with a declaration that its bytes contradict', async () => {
  const bytes = encode(`<html><meta charset="iso-8859-1"><p>${russian}</p></html>`, 'windows-1251');
  assert.deepEqual(await read(bytes, 'html'), {
    markdown: russian,
    warnings: ['the text declares the encoding iso-8859-1, which its bytes contradict: WINDOWS-1251 is a guess'],
  });
});

test('a page in UTF-32 or UTF-16 without a mark', async () => {
  const html = `<p>${german} ${german}</p>`;
  assert.equal((await read(Buffer.from(html, 'utf16le'), 'html')).markdown, `${german} ${german}`);
  const wide = Buffer.concat(
    [...`\ufeff${html}`].map((one) => Buffer.from([one.charCodeAt(0) & 255, one.charCodeAt(0) >> 8, 0, 0])),
  );
  assert.deepEqual(await read(wide, 'html'), { markdown: `${german} ${german}`, warnings: [] });
});

test('parts of a message: raw, in quoted-printable, in Base64, with right, wrong and no declarations', async () => {
  const raw = Buffer.concat([
    Buffer.from('From: a@example.org\r\nSubject: '),
    encode('Größe', 'windows-1252'),
    Buffer.from(
      '\r\nContent-Type: multipart/mixed; boundary="x y"\r\n\r\nleft out\r\n--x y\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nDer K=E4ufer zahlt f=FCr=\r\n Gr=F6=DFe.\r\n--x y\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n',
    ),
    Buffer.from(Buffer.from(encode(`${russian} ${russian}`, 'koi8-r')).toString('base64')),
    Buffer.from('\r\n--x y\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n'),
    encode('straße', 'windows-1252'),
    Buffer.from('\r\n--x y--\r\n'),
  ]);
  const { markdown, warnings } = await read(raw, 'eml');
  assert.match(markdown, /^# Größe\n/);
  assert.match(markdown, /Der Käufer zahlt für Größe\./);
  assert.ok(markdown.includes(`${russian} ${russian}`));
  assert.match(markdown, /straße$/);
  assert.deepEqual(warnings, [
    'the encoding of the text is not declared: WINDOWS-1252 is a guess (2 times)',
    'the text declares the encoding utf-8, which its bytes contradict: KOI8-U is a guess',
  ]);
});

test('a message in ISO-2022-JP that does not say so', async () => {
  const message = Buffer.from('From: a@example.org\n\n\x1b$B$3$l$OF|K\\8l\x1b(B.\n', 'latin1');
  const { markdown, warnings } = await read(message, 'eml');
  assert.match(markdown, /これは日本語\.$/);
  assert.deepEqual(warnings, []);
});

test('a replaced character is counted, with its place', async () => {
  const bytes = Buffer.concat([
    Buffer.from('<p>数据准备服务把文件变成样本'),
    Buffer.from([0xe6, 0x95]),
    Buffer.from('</p>'),
  ]);
  const { markdown, warnings } = await read(bytes, 'html');
  assert.equal(markdown, '数据准备服务把文件变成样本\ufffd');
  assert.deepEqual(warnings, [
    '1 character could not be decoded: U+FFFD stands in its place, at 14 of the text',
    'the encoding of the text is not declared: UTF-8 is a guess',
  ]);
});

test('a book in UTF-8 has nothing to say', async () => {
  assert.deepEqual((await read(epubOf('t', ['<p>Größe</p>']), 'epub')).warnings, []);
});
