import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cjkFont, shownTable, shownText, shownUtf16 } from '../../tests/support/pdf-files.ts';
import { damagedPdf, pdfOf } from '../../tests/support/pdf-files.ts';
import { testReadings } from '../../tests/support/document-readings.ts';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

/** Lines of a column, about 220 points wide at 12 points. */
function linesOf(count: number, column: number): string[] {
  return Array.from({ length: count }, (_, line) => `Line ${line} of column ${column} is about as wide as it`);
}

testReadings([
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
]);

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
