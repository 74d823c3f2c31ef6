import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docxOf, epubOf } from '../../tests/support/document-files.ts';
import { damagedPdf, pdfOf } from '../../tests/support/pdf-files.ts';
import { testReadings } from '../../tests/support/document-readings.ts';
import { zipOf } from '../../tests/support/zip-files.ts';
import { readDocument } from './document-reader.ts';
import { DocumentFailure, documentLimits, type ProblemCode } from './receipt.ts';

const email = [
  'From: "Ann Lee" <ann@example.org>',
  'To: Team: bo@example.org, Cy <cy@example.org>;',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Date: Mon, 1 Jan 2024 10:00:00 +0000',
  'Content-Type: multipart/mixed; boundary=B',
  '',
  '--B',
  'Content-Type: text/html; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Caf=E9 <b>now</b></p><table><tr><td>1</td><td>2</td></tr></table>',
  '--B',
  'Content-Type: application/pdf; name=plan.pdf',
  'Content-Disposition: attachment; filename=plan.pdf',
  '',
  'x',
  '--B--',
  '',
].join('\r\n');

testReadings([
  {
    name: 'HTML: punctuation as it is, and a table in the cell of another one',
    type: 'html',
    bytes: Buffer.from(
      String.raw`<html><p>\usepackage[&lt;options&gt;] a_b *c* 1 &amp; 2</p><table><tr><td>x<table><tr><td>1</td><td>2</td></tr></table></td><td>y|z</td></tr></table>`,
    ),
    markdown: '\\usepackage[<options>] a_b *c* 1 & 2\n\n| x 1 2 | y\\|z |\n| --- | --- |',
    receipt: { warnings: ['a table inside of a table is in the text of its cell'] },
  },
  {
    name: 'HTML with a box, whose title is in it, and a text like the mark of one',
    type: 'html',
    bytes: Buffer.from(
      '<html><div class="admonition note"><p class="admonition-title">Please note</p><p>Water it.</p></div><blockquote><p>[!NOTE]</p><p>quoted</p></blockquote></html>',
    ),
    markdown: '> Please note\n>\n> Water it.\n\n> [!NOTE]\n\n> quoted',
    receipt: { warnings: [] },
  },
  {
    name: 'RTF: code page, Unicode, a table',
    type: 'rtf',
    bytes: Buffer.from(
      String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'ee\'eb\'e5 \u25968?\par\trowd\cellx1\cellx2 a\intbl\cell b\cell\row\pard {\b end}}`,
    ),
    markdown: 'Поле 数\n\n| a | b |\n| --- | --- |\n\n**end**',
    receipt: { format: 'rtf', tables: 1, warnings: [] },
  },
  {
    name: 'EPUB in the order of its spine',
    type: 'epub',
    bytes: epubOf('Almanac', ['<h1>One</h1><p>first</p>', '<p>second</p>']),
    markdown: '# One\n\nfirst\n\nsecond',
    receipt: { format: 'epub', title: 'Almanac' },
  },
  {
    name: 'HTML in the encoding that it declares, whole, without scripts',
    type: 'html',
    bytes: Buffer.from(
      '<html><head><meta charset=gb18030><title>T</title><script>let x</script></head><body><nav><a href="/a">A</a></nav><p>\u00ca\u00fd\u00be\u00dd</p></body></html>',
      'latin1',
    ),
    markdown: '[A](/a)\n\n数据',
    receipt: { format: 'html', title: 'T' },
  },
  {
    name: 'an e-mail: who, when, the body; attachments by name',
    type: 'eml',
    bytes: Buffer.from(email),
    markdown:
      '# Grüße\n\nFrom: Ann Lee <ann@example.org>  \nTo: bo@example.org, Cy <cy@example.org>  \nDate: 2024-01-01T10:00:00.000Z  \nAttachments: plan.pdf\n\nCafé **now**\n\n| 1 | 2 |\n| --- | --- |',
    receipt: { format: 'eml', title: 'Grüße', tables: 1, warnings: ['attachment plan.pdf was not read'] },
  },
  {
    name: 'an e-mail of plain text with a comment in it, under its subject',
    type: 'eml',
    bytes: Buffer.from('From: ann@example.org\nSubject: Cron\n\n# every day\nrun #1\n'),
    markdown: '# Cron\n\nFrom: ann@example.org\n\n\\# every day\nrun #1',
    receipt: { format: 'eml' },
  },
  {
    name: 'RTF with a picture, its copy for old programs and a bullet, of which the picture is left out',
    type: 'rtf',
    bytes: Buffer.from(
      String.raw`{\rtf1{\*\listpicture{\pict\pngblip 89}}\{seen\}{\*\shppict{\pict\pngblip 8950}}{\nonshppict{\pict\wmetafile8 01}}}`,
    ),
    markdown: '{seen}',
    receipt: { images: 1, warnings: ['1 picture left out'] },
  },
  {
    name: 'a document under the name of another one',
    type: 'pdf',
    bytes: docxOf(['in disguise']),
    markdown: 'in disguise',
    receipt: { format: 'docx', warnings: ['named .pdf, but a Word document by its content'] },
  },
  {
    name: 'RTF that calls itself .doc, as Word writes it',
    type: 'doc',
    bytes: Buffer.from(String.raw`{\rtf1 old name}`),
    markdown: 'old name',
    receipt: { format: 'rtf' },
  },
  {
    name: 'RTF that is cut off, as far as it goes',
    type: 'rtf',
    bytes: Buffer.from(String.raw`{\rtf1 half a sen`),
    markdown: 'half a sen',
    receipt: { warnings: ['the end of the file is missing: cut off?'] },
  },
]);

const keys = '/Filter /Standard /V 1 /R 2 /P -4';
const failures: readonly (readonly [
  name: string,
  type: string,
  bytes: Uint8Array,
  code: ProblemCode,
  words: RegExp,
])[] = [
  ['an empty file', 'pdf', Buffer.alloc(0), 'NO_TEXT', /empty/],
  ['a scanned PDF', 'pdf', pdfOf([[], []]), 'NO_TEXT', /2 pages without text: scanned/],
  [
    'a PDF whose page can not be opened',
    'pdf',
    damagedPdf(['a'], '4 0 obj\n<<'),
    'DAMAGED',
    /^1 page can not be read$/,
  ],
  ['a Word document of nothing', 'docx', docxOf([]), 'NO_TEXT', /no text/],
  ['a PDF cut off in its header', 'pdf', pdfOf([['x']]).subarray(0, 20), 'DAMAGED', /can not be read/],
  ['text that calls itself PDF', 'pdf', Buffer.from('hello'), 'DAMAGED', /does not begin like a PDF/],
  ['a Word document cut in half', 'docx', docxOf(['x']).subarray(0, 400), 'DAMAGED', /cut off/],
  ['a ZIP of something else', 'docx', zipOf([{ name: 'a.txt', content: 'x' }]), 'UNSUPPORTED_FORMAT', /ZIP/],
  ['Office 97', 'doc', Buffer.from('d0cf11e0a1b11ae100000000', 'hex'), 'UNSUPPORTED_FORMAT', /save it as docx/],
  [
    'a Word document with a password',
    'docx',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'ENCRYPTED',
    /password/,
  ],
  [
    'a PDF with a password',
    'pdf',
    pdfOf([['x']], {
      trailer: `/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << ${keys} /O <${'00'.repeat(32)}> /U <${'11'.repeat(32)}> >>`,
    }),
    'ENCRYPTED',
    /password/,
  ],
  [
    'an encrypted part',
    'docx',
    zipOf([{ name: 'word/document.xml', content: 'x', isEncrypted: true }]),
    'ENCRYPTED',
    /password/,
  ],
  ['an EPUB without its list', 'epub', zipOf([{ name: 'META-INF/container.xml', content: '<x/>' }]), 'DAMAGED', /OPF/],
  ['lines that are no e-mail', 'eml', Buffer.from('no header here\n'), 'NO_TEXT', /no text/],
  ['an image called HTML', 'html', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'DAMAGED', /does not begin like/],
  [
    'HTML nested without end',
    'html',
    Buffer.from(`<html>${'<div>'.repeat(200_000)}x`),
    'TOO_LARGE',
    /nested too deeply/,
  ],
  [
    'RTF nested without end',
    'rtf',
    Buffer.from(String.raw`{\rtf1 ${'{'.repeat(200_000)}x`),
    'TOO_LARGE',
    /nested too deeply/,
  ],
  [
    'an e-mail nested without end',
    'eml',
    Buffer.from(
      `From: a@b.example\n${Array.from({ length: 300 }, (_, n) => `Content-Type: multipart/mixed; boundary=B${n}\n\n--B${n}\n`).join('')}`,
    ),
    'DAMAGED',
    /nesting depth/,
  ],
  [
    'an archive of too many parts',
    'docx',
    zipOf(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, content: '', isStored: true }))),
    'TOO_LARGE',
    /more than 10000 parts/,
  ],
];

for (const [name, type, bytes, code, words] of failures) {
  test(`${name} is ${code}`, async () => {
    await assert.rejects(readDocument(bytes, type, documentLimits), (error) => {
      assert.ok(error instanceof DocumentFailure, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /officeparser|config|github/i);
      return true;
    });
  });
}

test('what unpacks to too much, or makes too much text of little, is too large', async () => {
  const limits = { ...documentLimits, maxUnpackedBytes: 100_000, maxTextBytes: 5000 };
  await assert.rejects(
    readDocument(docxOf(['x'.repeat(200_000)]), 'docx', limits),
    /unpacks to more than 100000 bytes/,
  );
  await assert.rejects(readDocument(docxOf(['x'.repeat(6000)]), 'docx', limits), /over the limit of 5000 bytes/);
});

test('a failure without text still tells what went in', async () => {
  await assert.rejects(readDocument(pdfOf([[], []]), 'pdf', documentLimits), (error) => {
    assert.ok(error instanceof DocumentFailure);
    assert.partialDeepStrictEqual(error.receipt, { format: 'pdf', pagesIn: 2, pagesOut: 0, characters: 0 });
    return true;
  });
});
