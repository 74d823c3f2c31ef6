import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docxOf } from '../../tests/support/document-files.ts';
import { pdfOf } from '../../tests/support/pdf-files.ts';
import { findDocumentFormat, findSignature, isDocumentType, type Signature } from './formats.ts';

test('an extension promises a format, and the old ones of Office are looked into', () => {
  assert.equal(findDocumentFormat('pdf'), 'pdf');
  assert.equal(findDocumentFormat('htm'), 'html');
  assert.equal(findDocumentFormat('docm'), 'docx');
  assert.equal(findDocumentFormat('doc'), undefined);
  assert.equal(isDocumentType('doc'), true);
  for (const other of ['txt', 'md', 'csv', 'json', 'png', 'mp3', 'zip', '']) assert.equal(isDocumentType(other), false);
});

const signatures: readonly (readonly [name: string, bytes: Uint8Array, signature: Signature | undefined])[] = [
  ['a PDF', pdfOf([['x']]), 'pdf'],
  ['text about PDF', Buffer.from('A PDF begins with %PDF-'), undefined],
  ['a ZIP', docxOf(['x']), 'zip'],
  ['an empty ZIP', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1'), 'zip'],
  ['RTF', Buffer.from(String.raw`{\rtf1 x}`), 'rtf'],
  ['Office 97', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'ole2'],
  ['HTML 5', Buffer.from('\n<!DOCTYPE html><p>x'), 'html'],
  ['XHTML', Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<html xmlns="x">'), 'html'],
  ['HTML in UTF-16', Buffer.from('\ufeff<html><body>x', 'utf16le'), 'html'],
  ['an e-mail', Buffer.from('From: a@b.example\n\nx'), undefined],
  ['text about HTML', Buffer.from('The tag <html> comes first'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
];

for (const [name, bytes, signature] of signatures) {
  test(`the beginning of ${name} is ${signature ?? 'not typical'}`, () => {
    assert.equal(findSignature(bytes), signature);
  });
}
