import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../../tests/support/zip-files.ts';
import { readDocument } from '../document-reader.ts';
import type { DocumentFormat } from '../formats.ts';
import { documentLimits } from '../receipt.ts';

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const spaces = {
  w: 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  p: 'http://schemas.openxmlformats.org/presentationml/2006/main',
  a: 'http://schemas.openxmlformats.org/drawingml/2006/main',
  r: office,
};
const named = Object.entries(spaces)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

type Related = readonly [type: string, target: string];

function relationsOf(part: string, related: readonly Related[]): { name: string; content: string } {
  const at = part.lastIndexOf('/') + 1;
  const lines = related.map(([type, target], index) => {
    const mode = /^\w+:/.test(target) ? ' TargetMode="External"' : '';
    const full = type.startsWith('http') ? type : `${office}/${type}`;
    return `<Relationship Id="rId${index + 1}" Type="${full}" Target="${target}"${mode}/>`;
  });
  const content = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join('')}</Relationships>`;
  return { name: `${part.slice(0, at)}_rels/${part.slice(at)}.rels`, content };
}

const root = (target: string): { name: string; content: string } => relationsOf('', [['officeDocument', target]]);

function docx(
  related: readonly Related[],
  ofNotes: readonly Related[] = [],
  ofHeader: readonly Related[] = [],
): Buffer {
  const text = '<w:p><w:r><w:t>text</w:t></w:r></w:p>';
  return zipOf([
    root('word/document.xml'),
    {
      name: 'word/document.xml',
      content: `<w:document ${named}><w:body>${text}<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>`,
    },
    {
      name: 'word/footnotes.xml',
      content: `<w:footnotes ${named}><w:footnote w:id="2">${text}</w:footnote></w:footnotes>`,
    },
    { name: 'word/header.xml', content: `<w:hdr ${named}>${text}</w:hdr>` },
    relationsOf('word/document.xml', [['header', 'header.xml'], ['footnotes', 'footnotes.xml'], ...related]),
    relationsOf('word/footnotes.xml', ofNotes),
    relationsOf('word/header.xml', ofHeader),
  ]);
}

function pptx(slides: readonly (readonly Related[])[]): Buffer {
  const shape = '<p:sp><p:txBody><a:p><a:r><a:t>text</a:t></a:r></a:p></p:txBody></p:sp>';
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('');
  return zipOf([
    root('ppt/presentation.xml'),
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation ${named}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    },
    relationsOf(
      'ppt/presentation.xml',
      slides.map((_, index) => ['slide', `slides/slide${index + 1}.xml`]),
    ),
    ...slides.flatMap((related, index) => [
      {
        name: `ppt/slides/slide${index + 1}.xml`,
        content: `<p:sld ${named}><p:cSld><p:spTree>${shape}</p:spTree></p:cSld></p:sld>`,
      },
      relationsOf(`ppt/slides/slide${index + 1}.xml`, related),
    ]),
  ]);
}

function xlsx(sheets: readonly (readonly Related[])[]): Buffer {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const names = sheets.map((_, index) => `<sheet name="S${index}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return zipOf([
    root('xl/workbook.xml'),
    {
      name: 'xl/workbook.xml',
      content: `<workbook ${main} xmlns:r="${office}"><sheets>${names.join('')}</sheets></workbook>`,
    },
    relationsOf(
      'xl/workbook.xml',
      sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ),
    ...sheets.flatMap((related, index) => [
      {
        name: `xl/worksheets/sheet${index + 1}.xml`,
        content: `<worksheet ${main}><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`,
      },
      relationsOf(`xl/worksheets/sheet${index + 1}.xml`, related),
    ]),
  ]);
}

const ole: Related = ['oleObject', '../embeddings/oleObject1.bin'];
const sheet: Related = ['package', '../embeddings/Book.xlsx'];
const deck: Related = ['package', '../embeddings/Deck.pptx'];
const linked: Related = ['oleObject', 'file:///C:/Book.xlsx'];
const strict: Related = ['http://purl.oclc.org/ooxml/officeDocument/relationships/oleObject', '../embeddings/o.bin'];
const picture: Related = ['image', '../media/image1.emf'];
const link: Related = ['hyperlink', 'https://example.com/'];

const cases: readonly [name: string, format: DocumentFormat, bytes: Buffer, objects: number][] = [
  ['Word: three objects of two kinds', 'docx', docx([ole, sheet, deck]), 3],
  ['Word: an object that two relationships name', 'docx', docx([ole, ole, picture]), 1],
  ['Word: an object in a note', 'docx', docx([link], [sheet]), 1],
  ['Word: an object of a header, which is left out whole', 'docx', docx([], [], [ole]), 0],
  ['Word: a linked object', 'docx', docx([linked]), 1],
  ['Word: Strict Open XML', 'docx', docx([strict]), 1],
  ['Word: none', 'docx', docx([picture, link]), 0],
  ['PowerPoint: objects on two slides', 'pptx', pptx([[ole, sheet], [], [deck, picture]]), 3],
  ['PowerPoint: none', 'pptx', pptx([[picture]]), 0],
  ['Excel: objects on two sheets', 'xlsx', xlsx([[ole], [deck, sheet, link]]), 3],
  ['Excel: a linked object', 'xlsx', xlsx([[linked]]), 1],
  ['Excel: none', 'xlsx', xlsx([[link]]), 0],
];

for (const [name, format, bytes, objects] of cases) {
  test(`embedded objects are counted in the receipt: ${name}`, async () => {
    const { receipt } = await readDocument(bytes, format, documentLimits);
    assert.deepEqual(
      receipt.leftOut?.filter(({ kind }) => kind === 'OBJECT'),
      objects === 0 ? [] : [{ kind: 'OBJECT', count: objects, page: null }],
    );
    assert.equal(
      receipt.warnings.some((warning) => warning.includes('an embedded object was not read')),
      objects > 0,
    );
  });
}
