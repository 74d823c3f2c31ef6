import { docxOf } from '../../tests/support/document-files.ts';
import { testReadings, type DocumentReading } from '../../tests/support/document-readings.ts';

const run = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const raised = '<w:vertAlign w:val="superscript"/>';
const lowered = '<w:vertAlign w:val="subscript"/>';
const paragraph = (inner: string, properties = ''): string => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
const symbol = (font: string, code: string): string => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;
const field = (data: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText> FORM </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const entries = ['red', 'green', 'blue'].map((entry) => `<w:listEntry w:val="${entry}"/>`).join('');
const ruby = (base: string, reading: string): string =>
  `<w:r><w:ruby><w:rubyPr/><w:rt>${run(reading)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;
const drawing = (inner: string): string => `<w:r><w:drawing>${inner}</w:drawing></w:r>`;
const alternate = (choice: string, fallback: string): string =>
  `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
const cell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${text === '' ? '<w:p/>' : paragraph(run(text))}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;

type Case = readonly [name: string, body: string, markdown: string, warnings?: readonly string[]];

const lines: readonly Case[] = [
  ['a raised exponent', run('10') + run('6', raised), '10⁶'],
  ['a raised exponent in two runs', run('10') + run('-', raised) + run('12', raised), '10⁻¹²'],
  ['a lowered number', run('CO') + run('2', lowered) + run(' in air'), 'CO₂ in air'],
  ['a raised letter', run('x') + run('n', raised), 'xⁿ'],
  ['a raised word', run('T') + run('max', raised), 'T^max'],
  ['a lowered term', run('a') + run('i,j', lowered), 'a_(i,j)'],
  ['raised digits of a reference', run('as shown') + run('12', raised), 'as shown¹²'],
  ['an ordinal', run('the 21') + run('st', raised) + run(' century'), 'the 21st century'],
  ['a trademark', run('Tilth') + run('®', raised), 'Tilth®'],
  ['a raised line', run('all raised', raised), 'all raised'],
  ['a raised space', run('a') + run(' ', raised) + run('b'), 'a b'],
  ['a hyphen without break', '<w:r><w:t>F</w:t><w:noBreakHyphen/><w:t>16</w:t></w:r>', 'F-16'],
  ['a hyphen that is not shown', '<w:r><w:t>hy</w:t><w:softHyphen/><w:t>phen</w:t></w:r>', 'hyphen'],
  ['a tab and a tab to a place', '<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:ptab/><w:t>c</w:t></w:r>', 'a\tb\tc'],
  ['furigana', run('姓名：') + ruby('山田', 'やまだ') + run('さん'), '姓名：山田さん'],
  ['pinyin', ruby('北', 'běi') + ruby('京', 'jīng'), '北京'],
  ['Greek of Symbol', symbol('Symbol', 'F061') + symbol('Symbol', 'F057'), 'αΩ'],
  ['signs of Symbol', run('5') + symbol('Symbol', 'F0B1') + symbol('Symbol', 'F0A3'), '5±≤'],
  ['a symbol without private code', symbol('Symbol', '006D') + symbol('Arial', '2265'), 'μ≥'],
  [
    'boxes of Wingdings',
    symbol('Wingdings', 'F0FE') + symbol('Wingdings', 'F0A8') + symbol('Wingdings', 'F0FC'),
    '☑◻✓',
  ],
  ['arrows of Wingdings', symbol('Wingdings', 'F0E0') + symbol('Wingdings', 'F0DF'), '→←'],
  [
    'symbols that nobody knows',
    run('a') + symbol('Wingdings 3', 'F041') + symbol('Wingdings 3', 'F042') + run('b'),
    'ab',
    ['2 symbols of the font Wingdings 3 left out: their characters are not known'],
  ],
  ['a drop-down list', field(`<w:ddList><w:result w:val="1"/>${entries}</w:ddList>`) + run(' it is'), 'green it is'],
  ['a drop-down list left alone', field(`<w:ddList>${entries}</w:ddList>`), 'red'],
  ['a drop-down list with a default', field(`<w:ddList><w:default w:val="2"/>${entries}</w:ddList>`), 'blue'],
  ['a ticked box', field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + run(' yes'), '☒ yes'],
  ['an empty box', field('<w:checkBox><w:default w:val="0"/></w:checkBox>') + run(' no'), '☐ no'],
  [
    'inserted, deleted and moved text',
    `<w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>${run('from')}</w:moveFrom><w:moveTo>${run(' to')}</w:moveTo>`,
    'new to',
  ],
  [
    'deleted text is counted',
    `${run('new')}<w:del><w:r><w:delText>old</w:delText></w:r></w:del>`,
    'new',
    ['text that tracked changes delete left out: 3 characters'],
  ],
  [
    'hidden text',
    `${run('seen')}${run(' secret', '<w:vanish/>')}${run(' shown', '<w:vanish w:val="0"/>')}`,
    'seen secret shown',
    ['text that the document hides is part of the text: 7 characters'],
  ],
  ['a content control', `<w:sdt><w:sdtPr/><w:sdtContent>${run('chosen')}</w:sdtContent></w:sdt>`, 'chosen'],
  [
    'emphasis',
    `${run('now', '<w:b/>')}${run(' or', '<w:b w:val="0"/>')}${run(' then', '<w:i/>')}`,
    '**now** or *then*',
  ],
  [
    'a chart',
    run('see') + drawing('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/>'),
    'see',
    ['1 chart left out'],
  ],
  [
    'a text box that is written twice',
    run('beside') +
      `<w:r>${alternate(
        `<w:drawing><w:txbxContent>${paragraph(run('in a box'))}${paragraph(run('too'))}</w:txbxContent></w:drawing>`,
        `<w:pict><w:txbxContent>${paragraph(run('old'))}</w:txbxContent></w:pict>`,
      )}</w:r>`,
    'beside\n\nin a box\n\ntoo',
  ],
];

const bodies: readonly Case[] = [
  [
    'merged cells',
    `<w:tbl>${row(cell('a', '<w:gridSpan w:val="2"/>'), cell('b'))}${row(cell('c', '<w:vMerge w:val="restart"/>'), cell('d'), cell('e'))}${row(cell('', '<w:vMerge/>'), cell('f'), cell('g'))}</w:tbl>`,
    '| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n|  | f | g |',
  ],
  [
    'a heading by the ID of its style',
    paragraph(run('Titel'), '<w:pStyle w:val="Heading2"/>') + paragraph(run('text')),
    '## Titel\n\ntext',
  ],
  [
    'a paragraph in a content control',
    `<w:sdt><w:sdtContent>${paragraph(run('one'))}</w:sdtContent></w:sdt>${paragraph(run('two'))}`,
    'one\n\ntwo',
  ],
];

const capOf = (text: string, frame = 'w:dropCap="drop" w:lines="3"', properties = ''): string =>
  paragraph(
    run(text, `<w:position w:val="-9"/><w:sz w:val="116"/>${properties}`),
    `<w:framePr ${frame} w:wrap="around"/>`,
  );
const rest = paragraph(run('rop cap.'));
const bookmark = '<w:bookmarkStart w:id="1" w:name="start"/><w:bookmarkEnd w:id="1"/>';
const capStyle = (id: string, inner: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${inner}</w:style>`;

/** Large first letters, which are paragraphs of their own. */
const caps: readonly Case[] = [
  ['over three lines', capOf('D') + rest, 'Drop cap.'],
  ['over two lines', capOf('D', 'w:dropCap="drop" w:lines="2"') + rest, 'Drop cap.'],
  ['in the margin', capOf('D', 'w:dropCap="margin" w:lines="4" w:hAnchor="page"') + rest, 'Drop cap.'],
  ['with a quotation mark', capOf('“D') + paragraph(run('rop,” she said.')), '“Drop,” she said.'],
  ['that is a word', capOf('Once') + paragraph(run(' upon a time')), 'Once upon a time'],
  ['that is a word by itself', capOf('A') + paragraph(run(' cap.')), 'A cap.'],
  ['of Chinese', capOf('从') + paragraph(run('前有座山。')), '从前有座山。'],
  ['in bold', capOf('D', undefined, '<w:b/>') + rest, 'Drop cap.'],
  ['of a bold word', capOf('D') + paragraph(run('rop', '<w:b/>') + run(' cap.')), 'Drop cap.'],
  ['of a heading', capOf('T') + paragraph(run('itel'), '<w:pStyle w:val="Heading2"/>'), '## Titel'],
  ['behind another paragraph', paragraph(run('Before.')) + capOf('D') + rest, 'Before.\n\nDrop cap.'],
  ['of each of two paragraphs', capOf('D') + rest + capOf('C') + paragraph(run('ap two.')), 'Drop cap.\n\nCap two.'],
  ['before a bookmark', capOf('D') + bookmark + rest, 'Drop cap.'],
  [
    'before marks of spelling and permission',
    `${capOf('D')}<w:proofErr w:type="spellStart"/><w:permStart w:id="2"/>${rest}`,
    'Drop cap.',
  ],
  ['before a content control', `${capOf('D')}<w:sdt><w:sdtContent>${rest}</w:sdtContent></w:sdt>`, 'Drop cap.'],
  ['before a table', `${capOf('D')}<w:tbl>${row(cell('a'))}</w:tbl>${rest}`, 'D\n\n| a |\n| --- |\n\nrop cap.'],
  ['at the end', `${paragraph(run('Before.'))}${capOf('D')}<w:sectPr/>`, 'Before.\n\nD'],
  ['in a cell', `<w:tbl><w:tr><w:tc>${capOf('D')}${rest}</w:tc></w:tr></w:tbl>`, '| Drop cap. |\n| --- |'],
  ['that is none', capOf('Frame', 'w:dropCap="none" w:w="2000"') + rest, 'Frame\n\nrop cap.'],
  ['that is a frame', capOf('Frame', 'w:w="2000" w:hRule="exact"') + rest, 'Frame\n\nrop cap.'],
];

const readingOf = ([name, body, markdown, warnings = []]: Case): DocumentReading => ({
  name: `Word: ${name}`,
  type: 'docx',
  bytes: docxOf([], { body }),
  markdown,
  receipt: { warnings: [...warnings] },
});

const level = (format: string, place: number, start = 1): string =>
  `<w:lvl w:ilvl="${place}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/></w:lvl>`;
const item = (text: string, place: number, list = 1): string =>
  paragraph(run(text), `<w:numPr><w:ilvl w:val="${place}"/><w:numId w:val="${list}"/></w:numPr>`);

testReadings([
  ...lines.map(([name, body, ...rest]) => readingOf([name, paragraph(body), ...rest])),
  ...bodies.map(readingOf),
  ...caps.map(([name, ...rest]) => readingOf([`a drop cap ${name}`, ...rest])),
  {
    name: 'Word: a drop cap by its style and by the style that one is based on',
    type: 'docx',
    bytes: docxOf([], {
      body: ['Cap', 'Based', 'Off']
        .map((style) => paragraph(run('D'), `<w:pStyle w:val="${style}"/>`) + paragraph(run('rop cap.')))
        .join(''),
      parts: {
        styles: [
          capStyle('Cap', '<w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>'),
          capStyle('Based', '<w:basedOn w:val="Cap"/>'),
          capStyle('Off', '<w:basedOn w:val="Cap"/><w:pPr><w:framePr w:dropCap="none"/></w:pPr>'),
        ].join(''),
      },
    }),
    markdown: 'Drop cap.\n\nDrop cap.\n\nD\n\nrop cap.',
    receipt: { warnings: [] },
  },
  {
    name: 'Word: numbered lists that begin later and begin again, and a paragraph taken out of its list',
    type: 'docx',
    bytes: docxOf([], {
      body: [
        item('a', 0),
        item('b', 1),
        item('c', 1),
        item('d', 0),
        item('e', 1),
        item('f', 0, 0),
        item('g', 0, 2),
      ].join(''),
      parts: {
        numbering: `<w:abstractNum w:abstractNumId="0">${level('decimal', 0, 3)}${level('decimal', 1)}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level('bullet', 0)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`,
      },
    }),
    markdown: '3. a\n    1. b\n    2. c\n4. d\n    1. e\n\nf\n\n- g',
    receipt: { warnings: [] },
  },
  {
    name: 'Word: headings by the English name of a style with another ID',
    type: 'docx',
    bytes: docxOf([], {
      body: paragraph(run('eins'), '<w:pStyle w:val="berschrift1"/>') + paragraph(run('zwei'), '<w:pStyle w:val="2"/>'),
      parts: {
        styles: [
          ['berschrift1', 'heading 1'],
          ['2', 'Heading 2'],
        ]
          .map(([id, name]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`)
          .join(''),
      },
    }),
    markdown: '# eins\n\n## zwei',
    receipt: { warnings: [] },
  },
  {
    name: 'Word: notes with lines between text and notes among them',
    type: 'docx',
    bytes: docxOf([], {
      body: paragraph(`${run('text')}<w:r><w:footnoteReference w:id="1"/></w:r>${run(' on')}`),
      parts: {
        footnotes: '<w:footnote w:id="0" w:type="separator">$</w:footnote><w:footnote w:id="1">$</w:footnote>',
      },
    }),
    markdown: 'text[^1] on\n\n[^1]: in footnotes',
    receipt: { warnings: [] },
  },
]);
