// A package is read by its relationships and namespaces: however it names its parts and writes its XML, the text is the
// same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docxOf, pptxOf, xlsxOf } from '../../../tests/support/document-files.ts';
import { packageVariants, repacked } from '../../../tests/support/package-variants.ts';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

const documents: Readonly<Record<string, Buffer>> = {
  docx: docxOf([], {
    body:
      '<w:p><w:pPr><w:pStyle w:val="Steps"/></w:pPr><w:r><w:t>step &amp; 数据</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' +
      '<w:tbl><w:tr><w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>' +
      '<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>',
    parts: {
      footnotes: '<w:footnote w:id="2">$</w:footnote>',
      comments: '<w:comment w:id="0">$</w:comment>',
      header: '$',
      styles:
        '<w:style w:type="paragraph" w:styleId="Steps"><w:name w:val="Steps"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
      numbering:
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    },
  }),
  'pptx with notes': pptxOf([
    { texts: ['one'], notes: 'say this' },
    { texts: ['two'] },
    { texts: ['three'], notes: 'and this' },
  ]),
  xlsx: xlsxOf(
    {
      Fields: [
        ['name', 'day', 'yield & more'],
        ['née Ü', { value: 45_292, style: 1 }, { formula: 'A2*2', value: 2.5 }],
      ],
      Hidden: [['数据']],
    },
    ['yyyy-mm-dd'],
    ['Hidden'],
  ),
  pptx: pptxOf(
    [
      { texts: ['Title & more', '数据'], notes: 'say this' },
      {
        texts: [],
        body: '<a:p><a:r><a:t>item</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>inner</a:t></a:r></a:p>',
      },
      { texts: ['unseen'], isHidden: true },
    ],
    { masterStyles: '<p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle>' },
  ),
};

for (const [title, bytes] of Object.entries(documents)) {
  const [type = ''] = title.split(' ');
  for (const { name, change } of packageVariants) {
    test(`${title}, with ${name}`, async () => {
      const usual = await readDocument(bytes, type, documentLimits);
      const read = await readDocument(await repacked(bytes, change), type, documentLimits);
      assert.deepEqual(read, usual);
    });
  }
}
