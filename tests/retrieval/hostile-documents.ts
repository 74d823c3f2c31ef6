// Documents that are broken or malicious: each must end in a state, and block no other.
import { gzipSync } from 'node:zlib';
import { docxOf, epubOf, pptxOf, xlsxOf } from '../support/document-files.ts';
import { pdfOf } from '../support/pdf-files.ts';
import { zipOf } from '../support/zip-files.ts';

const mebibyte = 1 << 20;
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
const part = (content: Buffer, share: number): Uint8Array => content.subarray(0, Math.floor(content.length * share));
/** Deterministic noise. */
const noise = (length: number): Uint8Array => {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24);
};

/** Name → content: fifty documents, the first of each kind first. */
export function hostileDocuments(): Readonly<Record<string, string | Uint8Array>> {
  const pdf = pdfOf([['One page.'], ['Another page.']]);
  const docx = docxOf(['A paragraph.', 'Another one.']);
  const pptx = pptxOf([{ texts: ['A slide.'] }]);
  const xlsx = xlsxOf({ One: [['a', 1]] });
  const epub = epubOf('A book', ['<p>A chapter.</p>']);
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 12 }, (_, at) => `<!ENTITY ${'abcdefghijklm'.charAt(at + 1)} "${`&${'abcdefghijklm'.charAt(at)};`.repeat(10)}">`).join('')}]>`;
  return {
    'truncated.pdf': part(pdf, 0.6),
    'empty.pdf': '',
    'encrypted.pdf': pdfOf([['Secret.']], {
      trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) /P -4 >> /ID [(a) (b)]`,
    }),
    'bomb.docx': zipOf([{ name: 'word/document.xml', content: filled(300 * mebibyte, 0x20) }]),
    'wrong-extension.docx': pdf,
    'ff.txt': filled(100_000, 0xff),
    'deep.html': '<div>'.repeat(100_000) + 'Deep.',
    'line.txt': 'word '.repeat(2 * mebibyte),
    'noise.bin': noise(100_000),
    'laughs.docx': docxOf([], { doctype: laughs, body: '<w:p><w:r><w:t>&m;</w:t></w:r></w:p>' }),
    'truncated.docx': part(docx, 0.5),
    'truncated.pptx': part(pptx, 0.5),
    'truncated.xlsx': part(xlsx, 0.7),
    'truncated.epub': part(epub, 0.8),
    'tail-only.docx': docx.subarray(docx.length / 2),
    'empty.txt': '',
    'empty.docx': '',
    'empty.html': '<html></html>',
    'blank.txt': ' \n\t\r\n'.repeat(1000),
    'blank.pdf': pdfOf([[], []]),
    'no-slides.pptx': pptxOf([]),
    'no-rows.xlsx': xlsxOf({ Empty: [] }),
    'encrypted.docx': zipOf([{ name: 'word/document.xml', content: 'x', isEncrypted: true }]),
    'ole.doc': Buffer.concat([bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), noise(50_000)]),
    'claims.docx': zipOf([{ name: 'word/document.xml', content: 'small', claimedBytes: 4_000_000_000 }]),
    'many-entries.docx': zipOf(Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}`, content: '' }))),
    'outside.docx': zipOf([{ name: '../../../../tmp/outside', content: 'x' }]),
    'bomb.txt.gz': gzipSync(filled(50 * mebibyte, 0x61)),
    'html.pdf': '<html><body><p>Not a PDF at all.</p></body></html>',
    'docx.txt': docx,
    'picture.pdf': Buffer.concat([bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), noise(5_000)]),
    'text.xlsx': 'a,b\n1,2\n',
    'nothing-after.pdf': '%PDF-1.7\n',
    'noise.pdf': Buffer.concat([Buffer.from('%PDF-1.7\n'), noise(200_000)]),
    'page-loop.pdf': Buffer.from(pdf.toString('latin1').replace('/Kids [4 0 R', '/Kids [2 0 R'), 'latin1'),
    'no-table.pdf': Buffer.from(pdf.toString('latin1').replace(/startxref\n\d+/, 'startxref\n99999999'), 'latin1'),
    'zeros.txt': filled(100_000, 0),
    'mark-only.txt': bytes(0xff, 0xfe),
    'half-utf16.txt': bytes(0xff, 0xfe, 0x41, 0x00, 0x42),
    'wrong-utf8.txt': Buffer.concat([Buffer.from('Soil is '), bytes(0xc3, 0x28, 0xf0, 0x28), Buffer.from(' dry.')]),
    'controls.txt': `Before${String.fromCharCode(1, 2, 3, 27, 7)}after it, there is more.`,
    'marks.txt': `e${'́'.repeat(100_000)}`,
    'word.txt': 'a'.repeat(3 * mebibyte),
    'chinese-line.txt': '土壤是农业的基础'.repeat(50_000),
    'deep.json': '['.repeat(200_000),
    'deep.md': `${'> '.repeat(20_000)}Deep.`,
    'wide.md': `|${'a|'.repeat(20_000)}\n|${'-|'.repeat(20_000)}\n|${'b|'.repeat(20_000)}\n`,
    'fences.md': '```\n'.repeat(20_001),
    'script.html': `<script>${'x'.repeat(3 * mebibyte)}</script><p>Seen.</p>`,
    'attributes.html': `<p ${Array.from({ length: 50_000 }, (_, at) => `a${at}="x"`).join(' ')}>Seen.</p>`,
  };
}
