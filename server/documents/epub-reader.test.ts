import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../tests/support/zip-files.ts';
import { readDocument } from './document-reader.ts';
import { DocumentFailure, documentLimits } from './receipt.ts';

type Book = {
  chapters: Readonly<Record<string, string | Buffer>>;
  listed?: readonly string[];
  encrypted?: readonly string[];
};

/** A book whose list is in a folder, and whose chapters are listed with percent encoding. */
function bookOf({ chapters, listed = Object.keys(chapters), encrypted = [] }: Book): Buffer {
  const items = listed.map(
    (name, at) => `<opf:item id="c${at}" href="${encodeURIComponent(name)}" media-type="application/xhtml+xml"/>`,
  );
  const references = listed.map((_, at) => `<opf:itemref idref="c${at}"/>`);
  const hidden = encrypted.map(
    (name) =>
      `<enc:EncryptedData><enc:EncryptionMethod Algorithm="urn:drm"/><enc:CipherData><enc:CipherReference URI="in/${name}"/></enc:CipherData></enc:EncryptedData>`,
  );
  return zipOf([
    { name: 'mimetype', content: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      content:
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>',
    },
    {
      name: 'META-INF/encryption.xml',
      content: `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#">${hidden.join('')}</encryption>`,
    },
    {
      name: 'in/book.opf',
      content: `<opf:package xmlns:opf="http://www.idpf.org/2007/opf"><opf:metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title></opf:metadata><opf:manifest>${items.join('')}</opf:manifest><opf:spine>${references.join('')}</opf:spine></opf:package>`,
    },
    ...Object.entries(chapters).map(([name, content]) => ({ name: `in/${name}`, content })),
  ]);
}

test('chapters in the order of the spine, in names with spaces, each in its encoding', async () => {
  const chapters = {
    'two parts.xhtml': '<p>Größe</p>',
    'one.xhtml': Buffer.from('<html><p>Der Käufer zahlt für Größe und Maß.</p></html>', 'latin1'),
  };
  const bytes = bookOf({ chapters, listed: ['one.xhtml', 'two parts.xhtml'] });
  const { markdown, receipt } = await readDocument(bytes, 'epub', documentLimits);
  assert.equal(markdown, 'Der Käufer zahlt für Größe und Maß.\n\nGröße');
  assert.equal(receipt.title, 'A book');
  assert.deepEqual(receipt.warnings, ['the encoding of the text is not declared: WINDOWS-1252 is a guess']);
});

test('tables and lists of chapters are read like those of pages', async () => {
  const html =
    '<table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table><ol type="i"><li>x</li></ol>';
  const { markdown } = await readDocument(bookOf({ chapters: { 'a.xhtml': html } }), 'epub', documentLimits);
  assert.equal(markdown, '| a | b |\n| --- | --- |\n|  | c |\n\n- i. x');
});

test('chapters that are encrypted or missing are named, and a book of nothing else is encrypted', async () => {
  const chapters = { 'a.xhtml': '<p>seen</p>', 'b.xhtml': 'xyz' };
  const bytes = bookOf({ chapters, listed: ['a.xhtml', 'b.xhtml', 'c.xhtml'], encrypted: ['b.xhtml'] });
  const { markdown, receipt } = await readDocument(bytes, 'epub', documentLimits);
  assert.equal(markdown, 'seen');
  assert.deepEqual(receipt.warnings, [
    'chapter in/b.xhtml was not read: it is encrypted (DRM)',
    'chapter in/c.xhtml was not read: it is not in the file',
  ]);
  const closed = bookOf({ chapters: { 'a.xhtml': 'xyz' }, encrypted: ['a.xhtml'] });
  await assert.rejects(
    readDocument(closed, 'epub', documentLimits),
    (error) => error instanceof DocumentFailure && error.code === 'ENCRYPTED',
  );
});
