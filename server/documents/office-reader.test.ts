import { docxOf, odtOf, openDocumentOf, pptxOf, xlsxOf } from '../../tests/support/document-files.ts';
import { testReadings } from '../../tests/support/document-readings.ts';
import { zipOf } from '../../tests/support/zip-files.ts';

const sheet = (name: string, cell: string): string =>
  `<table:table table:name="${name}"><table:table-row><table:table-cell><text:p>${cell}</text:p></table:table-cell></table:table-row></table:table>`;
const slide = (text: string): string =>
  `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;

const style = (name: string, family: string, properties: string): string =>
  `<style:style style:name="${name}" style:family="${family}"><style:${properties}/></style:style>`;

testReadings([
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
    name: 'a file of the machine that XML asks for, which is not opened',
    type: 'docx',
    bytes: docxOf([], {
      doctype: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
      body: '<w:p><w:r><w:t>x&a;</w:t></w:r></w:p>',
    }),
    markdown: 'x&a;',
    receipt: { format: 'docx' },
  },
]);
