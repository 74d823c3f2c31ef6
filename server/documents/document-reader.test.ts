import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cjkFont,
  docxOf,
  epubOf,
  odtOf,
  openDocumentOf,
  pdfOf,
  pptxOf,
  shownTable,
  shownText,
  shownUtf16,
  xlsxOf,
} from '../../tests/support/document-files.ts';
import { zipOf } from '../../tests/support/zip-files.ts';
import { readDocument } from './document-reader.ts';
import { DocumentFailure, documentLimits, type DocumentReceipt, type ProblemCode } from './receipt.ts';

type Reading = { name: string; type: string; bytes: Uint8Array; markdown: string; receipt: Partial<DocumentReceipt> };

const sheet = (name: string, cell: string): string =>
  `<table:table table:name="${name}"><table:table-row><table:table-cell><text:p>${cell}</text:p></table:table-cell></table:table-row></table:table>`;
const slide = (text: string): string =>
  `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;

const style = (name: string, family: string, properties: string): string =>
  `<style:style style:name="${name}" style:family="${family}"><style:${properties}/></style:style>`;

/** A PDF of one-line pages in which `object` is corrupted. */
function damagedPdf(lines: readonly string[], object: string): Buffer {
  const text = pdfOf(lines.map((line) => [line])).toString('latin1');
  return Buffer.from(text.replace(object, object.replace('<<', '[ ')), 'latin1');
}

/** Lines of a column, about 220 points wide at 12 points. */
function linesOf(count: number, column: number): string[] {
  return Array.from({ length: count }, (_, line) => `Line ${line} of column ${column} is about as wide as it`);
}

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

const readings: readonly Reading[] = [
  {
    name: 'Word with a table and characters that Markdown means something by',
    type: 'docx',
    bytes: docxOf([
      'Soil & *water*',
      [
        ['Field', 'Yield'],
        ['A|1', '3 t'],
      ],
      '数据 end',
    ]),
    markdown: 'Soil & *water*\n\n| Field | Yield |\n| --- | --- |\n| A\\|1 | 3 t |\n\n数据 end',
    receipt: { format: 'docx', pageKind: null, pagesIn: null, pagesOut: null, tables: 1, warnings: [] },
  },
  {
    name: 'PowerPoint: slides, notes, and a slide without text',
    type: 'pptx',
    bytes: pptxOf([{ texts: ['Title', 'Body'], notes: 'say this' }, { texts: [] }, { texts: ['Last'] }]),
    markdown: 'Title\n\nBody\n\n> say this\n\nLast',
    receipt: { pageKind: 'slide', pagesIn: 3, pagesOut: 2, warnings: ['1 slide of 3 without content'] },
  },
  {
    name: 'Excel: a table for each sheet, values of formulas',
    type: 'xlsx',
    bytes: xlsxOf({
      Fields: [
        ['a', 'b'],
        [1, { formula: 'A2*2', value: 2.5 }],
      ],
      Empty: [],
      Last: [['z']],
    }),
    markdown: '## Fields\n\n| a | b |\n| --- | --- |\n| 1 | 2.5 |\n\n## Last\n\n| z |\n| --- |',
    receipt: { pageKind: 'sheet', pagesIn: 3, pagesOut: 2, tables: 2, warnings: ['sheet 2 has no text'] },
  },
  {
    name: 'Excel: formulas that nobody has calculated, and a hidden sheet',
    type: 'xlsx',
    bytes: xlsxOf(
      { Sums: [['a', { formula: 'B1*2' }, { formula: 'B1*3', value: 0 }]], 'A & B': [['x']] },
      [],
      ['A & B'],
    ),
    markdown: '## Sums\n\n| a |  | 0 |\n| --- | --- | --- |\n\n## A & B\n\n| x |\n| --- |',
    receipt: {
      warnings: [
        '1 formula of sheet “Sums” has no stored value: its cell is empty',
        'sheet “A & B” is hidden in the workbook',
      ],
    },
  },
  {
    name: 'Word with lists made by styles, one of them by the style that it is based on',
    type: 'docx',
    bytes: docxOf([], {
      body: ['Plain', 'Bullets', 'Bullets', 'Steps', 'Inner', 'None']
        .map(
          (style) =>
            `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>of ${style.toLowerCase()}</w:t></w:r></w:p>`,
        )
        .join(''),
      parts: {
        styles: [
          ['Plain', ''],
          ['Bullets', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'],
          ['Steps', '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>'],
          ['Inner', '<w:basedOn w:val="Bullets"/>'],
          ['None', '<w:basedOn w:val="Bullets"/><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>'],
        ]
          .map(([id, more]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${more}</w:style>`)
          .join(''),
        numbering: `${['bullet', 'decimal']
          .map(
            (format, id) =>
              `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/></w:lvl></w:abstractNum>`,
          )
          .join(
            '',
          )}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`,
      },
    }),
    markdown: 'of plain\n\n- of bullets\n- of bullets\n1. of steps\n- of inner\n\nof none',
    receipt: { warnings: [] },
  },
  {
    name: 'Word with a list whose levels name their styles',
    type: 'docx',
    bytes: docxOf([], {
      body: ['Outer', 'Inner', 'Inner', 'Outer']
        .map(
          (style, index) => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>item ${index}</w:t></w:r></w:p>`,
        )
        .join(''),
      parts: {
        styles: ['Outer', 'Inner']
          .map(
            (id) =>
              `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`,
          )
          .join(''),
        numbering: `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:pStyle w:val="Outer"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:pStyle w:val="Inner"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
      },
    }),
    markdown: '1. item 0\n    - item 1\n    - item 2\n2. item 3',
    receipt: { warnings: [] },
  },
  {
    name: 'PowerPoint with lists by the styles of the master, the layout and the paragraph itself',
    type: 'pptx',
    bytes: pptxOf(
      [
        {
          texts: [],
          body: [
            ['', 'first &amp; foremost'],
            ['<a:pPr lvl="1"/>', 'numbered'],
            ['<a:pPr lvl="1"/>', 'again'],
            ['<a:pPr lvl="2"/>', 'no item'],
            ['', 'second'],
            ['<a:pPr><a:buNone/></a:pPr>', 'plain'],
          ]
            .map(([properties, text]) => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`)
            .join(''),
        },
      ],
      {
        masterStyles:
          '<p:bodyStyle><a:lvl1pPr marL="1"><a:buFont typeface="Arial"/><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr><a:lvl3pPr><a:buChar char="•"/></a:lvl3pPr></p:bodyStyle>',
        masterBody: '<a:lvl3pPr><a:buNone/></a:lvl3pPr>',
        layoutBody: '<a:lvl1pPr marL="2"/><a:lvl2pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:lvl2pPr>',
      },
    ),
    markdown: '- first & foremost\n    3. numbered\n    4. again\n\nno item\n\n- second\n\nplain',
    receipt: { format: 'pptx', warnings: [] },
  },
  {
    name: 'PowerPoint with a hidden slide',
    type: 'pptx',
    bytes: pptxOf([{ texts: ['seen'] }, { texts: ['unseen'], isHidden: true }]),
    markdown: 'seen\n\nunseen',
    receipt: { pagesOut: 2, warnings: ['slide 2 is hidden in the presentation'] },
  },
  {
    name: 'OpenDocument with a hidden sheet',
    type: 'ods',
    bytes: openDocumentOf(
      'spreadsheet',
      `<office:spreadsheet>${sheet('S', 'c')}${sheet('A &amp; B', 'd').replace('<table:table ', '<table:table table:style-name="off" ')}</office:spreadsheet>`,
      `${style('off', 'table', 'table-properties table:display="false"')}${style('on', 'table', 'table-properties table:display="true"')}`,
    ),
    markdown: '## S\n\n| c |\n| --- |\n\n## A & B\n\n| d |\n| --- |',
    receipt: { warnings: ['sheet “A & B” is hidden in the workbook'] },
  },
  {
    name: 'OpenDocument with hidden slides, and notes with an empty field',
    type: 'odp',
    bytes: openDocumentOf(
      'presentation',
      `<office:presentation>${slide('one').replace('</draw:page>', `<presentation:notes><draw:page-thumbnail draw:style-name="off"/>${['say', '&lt;number&gt;'].map((text) => `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`).join('')}</presentation:notes></draw:page>`)}${slide('two').replace('<draw:page>', '<draw:page draw:name="p2" draw:style-name="off">')}${slide('three').replace('<draw:page>', '<draw:page draw:style-name="off">')}</office:presentation>`,
      style('off', 'drawing-page', 'drawing-page-properties presentation:visibility="hidden"'),
    ),
    markdown: 'one\n\n> say\n\ntwo\n\nthree',
    receipt: { warnings: ['slides 2, 3 are hidden in the presentation'] },
  },
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
    name: 'Excel: numbers with the digits that they need, and texts of digits as they are',
    type: 'xlsx',
    bytes: xlsxOf({
      N: [
        [
          { formula: 'A2', value: '5.0999999999999996' },
          { formula: 'A3', value: '9.8887009999999997E-2' },
        ],
        ['5.0999999999999996', 0.1, -1234567.125],
      ],
    }),
    markdown: '## N\n\n| 5.1 | 0.09888701 |  |\n| --- | --- | --- |\n| 5.0999999999999996 | 0.1 | -1234567.125 |',
    receipt: { warnings: [] },
  },
  {
    name: 'Excel: dates and times, which are numbers of days with a style',
    type: 'xlsx',
    bytes: xlsxOf(
      {
        'A & B': [
          [
            { value: 45_292, style: 1 },
            { value: 45_292.75, style: 2 },
            { value: 0.5, style: 3 },
            { value: 0.256, style: 4 },
            { value: 12, style: 5 },
            { value: 59, style: 1 },
            45_292,
          ],
        ],
      },
      [14, 'yyyy"-"mm\\-dd hh:mm', 'h:mm AM/PM', '0.00%', '# "days"'],
    ),
    markdown:
      '## A & B\n\n| 2024-01-01 | 2024-01-01 18:00:00 | 12:00:00 | 0.256 | 12 | 1900-02-28 | 45292 |\n| --- | --- | --- | --- | --- | --- | --- |',
    receipt: { tables: 1, warnings: [] },
  },
  {
    name: 'Word with a comment and a header, which are left out, and a footnote, which is not',
    type: 'docx',
    bytes: docxOf([], {
      body: '<w:p><w:r><w:t>text</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:commentRangeStart w:id="0"/><w:r><w:t> said</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p><w:sectPr><w:headerReference xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" w:type="default" r:id="rId3"/></w:sectPr>',
      parts: {
        footnotes: '<w:footnote w:id="2">$</w:footnote>',
        comments: '<w:comment w:id="0">$</w:comment>',
        header: '$',
      },
    }),
    markdown: 'text[^2] said\n\n[^2]: in footnotes',
    receipt: { warnings: ['1 comment left out', '1 running header or footer left out'] },
  },
  {
    name: 'OpenDocument text',
    type: 'odt',
    bytes: odtOf(
      ['one', 'two'],
      [
        ['x', 'y'],
        ['1', '2'],
      ],
    ),
    markdown: 'one\n\ntwo\n\n| x | y |\n| --- | --- |\n| 1 | 2 |',
    receipt: { format: 'odt', tables: 1 },
  },
  {
    name: 'OpenDocument text as a web page was saved',
    type: 'odt',
    bytes: openDocumentOf('text-web', '<office:text><text:p>web</text:p></office:text>'),
    markdown: 'web',
    receipt: { format: 'odt', warnings: [] },
  },
  {
    name: 'OpenDocument text that was packed again, its type not first',
    type: 'odt',
    bytes: zipOf([
      { name: 'META-INF/manifest.xml', content: '<x/>' },
      {
        name: 'content.xml',
        content:
          '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>packed</text:p></office:text></office:body></office:document-content>',
      },
    ]),
    markdown: 'packed',
    receipt: { format: 'odt', warnings: [] },
  },
  {
    name: 'OpenDocument spreadsheet',
    type: 'ods',
    bytes: openDocumentOf(
      'spreadsheet',
      `<office:spreadsheet>${sheet('S', 'c')}${sheet('T', 'd')}</office:spreadsheet>`,
    ),
    markdown: '## S\n\n| c |\n| --- |\n\n## T\n\n| d |\n| --- |',
    receipt: { format: 'ods', pagesIn: 2, pagesOut: 2, tables: 2 },
  },
  {
    name: 'OpenDocument presentation',
    type: 'odp',
    bytes: openDocumentOf('presentation', `<office:presentation>${slide('one')}${slide('two')}</office:presentation>`),
    markdown: 'one\n\ntwo',
    receipt: { format: 'odp', pageKind: 'slide', pagesIn: 2, pagesOut: 2 },
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
    name: 'a PDF with commands behind a prompt and a fence, which are no headings and no code',
    type: 'pdf',
    bytes: pdfOf([
      ['# shutdown -h now', '#!/bin/sh', '~~~~'].map((line, index) => shownText(line, 72, 700 - 50 * index)).join('\n'),
    ]),
    markdown: '\\# shutdown -h now\n\n#!/bin/sh\n\n\\~~~~',
    receipt: { warnings: [] },
  },
  {
    name: 'an e-mail of plain text with a comment in it, under its subject',
    type: 'eml',
    bytes: Buffer.from('From: ann@example.org\nSubject: Cron\n\n# every day\nrun #1\n'),
    markdown: '# Cron\n\nFrom: ann@example.org\n\n\\# every day\nrun #1',
    receipt: { format: 'eml' },
  },
  {
    name: 'Word with a line break in front of a comment, and a heading that begins with its sign',
    type: 'docx',
    bytes: docxOf([], {
      body: '<w:p><w:r><w:t>Type</w:t><w:br/><w:t># ls</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t># is a sign</w:t></w:r></w:p>',
    }),
    markdown: 'Type  \n\\# ls\n\n# # is a sign',
    receipt: { warnings: [] },
  },
  {
    name: 'Word with a picture, its copy for old programs and a linked one, which are left out',
    type: 'docx',
    bytes: docxOf([], {
      body: `<w:p><w:r><w:t>seen</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:v="urn:schemas-microsoft-com:vml"><mc:Choice Requires="wps"><w:drawing><a:blip r:embed="rId1"/></w:drawing></mc:Choice><mc:Fallback><w:pict><v:imagedata r:id="rId1"/></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:pict><v:imagedata xmlns:v="urn:schemas-microsoft-com:vml"/></w:pict></w:r></w:p>`,
      parts: { image: '' },
    }),
    markdown: 'seen',
    receipt: { images: 2, warnings: ['2 pictures left out'] },
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
    name: 'a PDF: paragraphs, a page without text',
    type: 'pdf',
    bytes: pdfOf([['First page (1)'], [], ['Third']]),
    markdown: 'First page (1)\n\nThird',
    receipt: { pageKind: 'page', pagesIn: 3, pagesOut: 2, warnings: ['page 2 has no text (scanned?)'] },
  },
  ...(
    [
      ['STSong-Light', 'UniGB-UCS2-H', 'GB1', '数据清洗是机器学习的基础'],
      ['HeiseiMin-W3', 'UniJIS-UCS2-H', 'Japan1', '日本語の文章をきれいにする'],
      ['HYSMyeongJo-Medium', 'UniKS-UCS2-H', 'Korea1', '한국어 문장을 정리한다'],
      ['MSung-Light', 'UniCNS-UCS2-H', 'CNS1', '資料清理是機器學習的基礎'],
    ] as const
  ).map(([font, encoding, ordering, text]) => ({
    name: `a PDF in ${font}, which is not embedded`,
    type: 'pdf',
    bytes: pdfOf([shownUtf16(text)], { font: cjkFont(font, encoding, ordering) }),
    markdown: text,
    receipt: { warnings: [] },
  })),
  ...(['strokes', 'rectangles'] as const).map((as) => ({
    name: `a PDF with a table ruled by ${as}, in its place`,
    type: 'pdf',
    bytes: pdfOf([
      [
        shownText('Before the table.', 72, 650),
        shownText('After it.', 72, 500),
        shownTable(
          [
            ['Field', 'Yield'],
            ['North', '3 t'],
            ['', '4 | 5 t'],
          ],
          { as },
        ),
      ].join('\n'),
    ]),
    markdown: 'Before the table.\n\n| Field | Yield |\n| --- | --- |\n| North | 3 t |\n|  | 4 \\| 5 t |\n\nAfter it.',
    receipt: { tables: 1, warnings: [] },
  })),
  {
    name: 'a PDF with a table with merged cells, which is text by rows',
    type: 'pdf',
    bytes: pdfOf([
      shownTable(
        [
          ['Name', 'Value', 'Unit'],
          ['both of them', '', 'm'],
        ],
        { without: ['v1.1'] },
      ),
    ]),
    markdown: 'Name Value Unit\n\nboth of them m',
    receipt: { tables: 0, warnings: ['1 ruled table has merged cells: its rows are paragraphs'] },
  },
  {
    name: 'a PDF with a title in the first row of a table, lines of text in its cells, and texts close to a border',
    type: 'pdf',
    bytes: pdfOf([
      [
        shownTable(
          [
            ['Title over both', ''],
            ['one', 'two'],
            ['a long text up to :', ''],
          ],
          { without: ['v1.0'], columnWidth: 82 },
        ),
        shownText('the border', 156, 546, 10),
        shownTable(
          [
            ['A', 'B'],
            ['', 'C'],
          ],
          { top: 500 },
        ),
        shownText('one word is di-', 76, 472, 8),
        shownText('vided', 76, 463, 8),
      ].join('\n'),
    ]),
    markdown:
      'Title over both\n\n| one | two |\n| --- | --- |\n| a long text up to : | the border |\n\n| A | B |\n| --- | --- |\n| one word is divided | C |',
    receipt: { tables: 2, warnings: [] },
  },
  {
    name: 'a PDF with lines between columns only: a row of the table for each line of text',
    type: 'pdf',
    bytes: pdfOf([
      [
        shownTable(
          [
            ['Name', 'Count'],
            ['ash', '1'],
            ['elm', '2'],
            ['oak', '3'],
          ],
          { without: ['h2', 'h3', 'v0', 'v2'] },
        ),
      ].join('\n'),
    ]),
    markdown: '| Name | Count |\n| --- | --- |\n| ash | 1 |\n| elm | 2 |\n| oak | 3 |',
    receipt: { tables: 1, warnings: [] },
  },
  {
    name: 'a PDF with tables side by side in two columns of text, ten points apart',
    type: 'pdf',
    bytes: pdfOf([
      [3, 5]
        .map((count, column) => {
          const left = 72 + column * 230;
          return [
            ...linesOf(count, column).map((line, index) => shownText(line, left, 700 - 16 * index)),
            shownTable(
              [
                ['a', 'b'],
                [`${column}`, 'd'],
              ],
              { left, top: 690 - 16 * count, columnWidth: 100 },
            ),
            ...linesOf(7 - count, column).map((line, index) => shownText(line, left, 620 - 16 * (count + index))),
          ].join('\n');
        })
        .join('\n'),
    ]),
    markdown: [3, 5]
      .map(
        (count, column) =>
          `${linesOf(count, column).join(' ')}\n\n| a | b |\n| --- | --- |\n| ${column} | d |\n\n${linesOf(7 - count, column).join(' ')}`,
      )
      .join('\n\n'),
    receipt: { tables: 2, warnings: [] },
  },
  {
    name: 'a PDF with a frame around its text, and boxes, which are no table',
    type: 'pdf',
    bytes: pdfOf([
      `${shownTable([['Only one cell']])} 60 60 500 700 re S ${shownTable([['left', 'right']], { top: 300 })}`,
    ]),
    markdown: 'Only one cell\n\nleft\n\nright',
    receipt: { tables: 0, warnings: [] },
  },
  {
    name: 'a PDF whose font contradicts itself, as ReportLab writes MSung-Light',
    type: 'pdf',
    bytes: pdfOf([shownUtf16('資料清理')], { font: cjkFont('MSung-Light', 'UniGB-UCS2-H', 'CNS1') }),
    markdown: '資料清理',
    receipt: {
      warnings: [
        'a font names its characters in two ways that contradict each other; those of its encoding were taken',
      ],
    },
  },
  {
    name: 'a PDF whose font says of no glyph which character it is',
    type: 'pdf',
    bytes: pdfOf([shownUtf16('A B')], { font: cjkFont('Unknown', 'Identity-H', 'Identity') }),
    markdown: 'A B',
    receipt: { warnings: ['2 of 2 characters are uncertain: their fonts do not say what they are'] },
  },
  {
    name: 'a PDF with a font of a character map that nobody knows',
    type: 'pdf',
    bytes: pdfOf([shownUtf16('A B'), 'BT /F2 12 Tf 72 700 Td (Known) Tj ET'], {
      font: cjkFont('Odd', 'Odd-UCS2-H', 'GB1'),
    }),
    markdown: 'Known',
    receipt: {
      pagesOut: 1,
      warnings: ['page 1 has no text (scanned?)', 'text is missing once: its font can not be read'],
    },
  },
  {
    name: 'a PDF with bullets in Symbol, a font without a height',
    type: 'pdf',
    bytes: pdfOf(
      [
        [
          shownText('Two items:', 72, 700),
          ...['first', 'second'].flatMap((item, index) => [
            `BT /F2 12 Tf 72 ${660 - 40 * index} Td (\\267) Tj ET`,
            shownText(`the ${item} item`, 84, 660 - 40 * index),
          ]),
          shownText('The end.', 72, 580),
        ].join('\n'),
      ],
      { secondFont: '<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>' },
    ),
    markdown: 'Two items:\n\n- the first item\n- the second item\n\nThe end.',
    receipt: { warnings: [] },
  },
  {
    name: 'a PDF whose accents are drawn and then their letters, as TeX does, and some that only precede a letter',
    type: 'pdf',
    bytes: pdfOf([
      String.raw`BT /F1 12 Tf 72 700 Td [(M\264) 333 (etro, Schr\250) 333 (odinger)] TJ ET
BT /F1 12 Tf 72 650 Td (\264) Tj 0 -2 Td (Etat) Tj ET
BT /F1 12 Tf 72 600 Td [(l\264eau, 5\264) -100 (a)] TJ ET`,
    ]),
    markdown: 'Métro, Schrödinger\n\nÉtat\n\nl´eau, 5´a',
    receipt: { warnings: [] },
  },
  {
    name: 'a PDF with a page that can not be opened',
    type: 'pdf',
    bytes: damagedPdf(['a', 'b'], '6 0 obj\n<<'),
    markdown: 'a',
    receipt: { pagesIn: 2, pagesOut: 1, warnings: ['page 2 can not be read: damaged'] },
  },
  {
    name: 'a PDF whose list of pages ends at a page that can not be opened',
    type: 'pdf',
    bytes: damagedPdf(['a', 'b', 'c', 'd'], '6 0 obj\n<<'),
    markdown: 'a',
    receipt: { pagesIn: 4, pagesOut: 1, warnings: ['pages 2–4 (3) can not be read: damaged'] },
  },
  {
    name: 'a PDF behind lines of something else',
    type: 'pdf',
    bytes: Buffer.concat([Buffer.from('Content-Type: application/pdf\n\n'), pdfOf([['Late']])]),
    markdown: 'Late',
    receipt: { pagesIn: 1 },
  },
  {
    name: 'a PDF with a script, which is not run',
    type: 'pdf',
    bytes: pdfOf([['Quiet']], { catalog: '/OpenAction << /S /JavaScript /JS (while\\(true\\);) >>' }),
    markdown: 'Quiet',
    receipt: { pagesIn: 1, warnings: [] },
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
  {
    name: 'a file of the machine that XML asks for, which is not opened',
    type: 'docx',
    bytes: docxOf([], {
      doctype: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
      body: '<w:p><w:r><w:t>x&a;</w:t></w:r></w:p>',
    }),
    markdown: 'x&a;',
    receipt: { format: 'docx' },
  },
];

for (const { name, type, bytes, markdown, receipt } of readings) {
  test(`reads ${name}`, async () => {
    const read = await readDocument(bytes, type, documentLimits);
    assert.equal(read.markdown, markdown);
    assert.partialDeepStrictEqual(read.receipt, receipt);
    assert.equal(read.receipt.characters, [...markdown].length);
    for (const { start, end } of read.pages) assert.ok(start < end && end <= markdown.length);
  });
}

test('pages say where they stand in the text', async () => {
  const { markdown, pages } = await readDocument(pdfOf([['One'], [], ['Three']]), 'pdf', documentLimits);
  assert.deepEqual(
    pages.map(({ number, start, end }) => [number, markdown.slice(start, end)]),
    [
      [1, 'One'],
      [3, 'Three'],
    ],
  );
});

test('a PDF of more pages than are held at once loses none', async () => {
  const lines = Array.from({ length: 230 }, (_, index) => [`This is page ${index + 1}`]);
  const { pages, receipt, markdown } = await readDocument(pdfOf(lines), 'pdf', documentLimits);
  assert.deepEqual(
    pages.map(({ number }) => number),
    lines.map((_, index) => index + 1),
  );
  for (const { number, start, end } of pages) assert.equal(markdown.slice(start, end), `This is page ${number}`);
  assert.equal(receipt.pagesOut, 230);
});

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
