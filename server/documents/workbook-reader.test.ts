import { xlsxOf } from '../../tests/support/document-files.ts';
import { testReadings } from '../../tests/support/document-readings.ts';
import { repacked } from '../../tests/support/package-variants.ts';
import { zipOf } from '../../tests/support/zip-files.ts';

const a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook of one sheet from the XML of its cells, with a further element and related parts of the sheet. */
async function sheetOf(
  cells: string,
  related: Readonly<Record<string, string>> = {},
  { shared = '', after = '' }: { shared?: string; after?: string } = {},
): Promise<Buffer> {
  const names = Object.keys(related);
  const extra = [
    ['xl/sharedStrings.xml', `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${shared}</sst>`],
    [
      'xl/worksheets/_rels/sheet1.xml.rels',
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names.map((name, index) => `<Relationship Id="d${index}" Type="${types}/${name}" Target="../${name}.xml"/>`).join('')}</Relationships>`,
    ],
    ...Object.entries(related).map(([name, content]) => [`xl/${name}.xml`, content] as const),
  ] as const;

  const bytes = await repacked(xlsxOf({ S: [['%']] }), ({ name, content }) => ({
    name,
    content: name.endsWith('sheet1.xml')
      ? content.replace(/<row.*<\/row>/s, cells).replace('</sheetData>', `</sheetData>${after}`)
      : content,
  }));
  return withParts(bytes, extra);
}

async function withParts(bytes: Buffer, parts: readonly (readonly [string, string])[]): Promise<Buffer> {
  const entries: { name: string; content: string | Uint8Array }[] = [];
  await repacked(bytes, (part) => {
    entries.push(part);
    return part;
  });
  return zipOf([...entries, ...parts.map(([name, content]) => ({ name, content }))]);
}

const table = (...cells: string[]): string =>
  `## S\n\n| ${cells.join(' | ')} |\n| ${cells.map(() => '---').join(' | ')} |`;
const inline = (runs: string): string => `<row><c t="inlineStr"><is>${runs}</is></c></row>`;
const run = (text: string, shift = ''): string =>
  `<r>${shift === '' ? '' : `<rPr><vertAlign val="${shift}"/></rPr>`}<t xml:space="preserve">${text}</t></r>`;
const elapsed = (formats: readonly (string | number)[], values: readonly number[]): Buffer =>
  xlsxOf({ S: [values.map((value, index) => ({ value, style: index + 1 }))] }, formats);

testReadings([
  {
    name: 'Excel: elapsed times over a day, and times of day',
    type: 'xlsx',
    bytes: elapsed(
      ['[h]:mm:ss', 46, '[hh]:mm', '[m]:ss', '[s]', '[mm]:ss.0', 'h:mm'],
      [1.5, 26.041666666666668, 0.25, 2, 0.001, 0.0625, 0.5],
    ),
    markdown: table('36:00:00', '625:00:00', '06:00:00', '48:00:00', '00:01:26', '01:30:00', '12:00:00'),
    receipt: { warnings: [] },
  },
  {
    name: 'Excel: elapsed times with texts, colours, sections and a sign, and dates beside them',
    type: 'xlsx',
    bytes: elapsed(
      ['[h]" h "mm', '[Red][h]:mm;[Blue]-[h]:mm', '[$-409][h]:mm:ss AM/PM', '[h]:mm;@', 'd [h]:mm', '0.0"[h]"'],
      [100, -1.25, 2, 1000, 45_292.5, 7.5],
    ),
    markdown: table('2400:00:00', '-30:00:00', '48:00:00', '24000:00:00', '2024-01-01 12:00:00', '7.5'),
    receipt: { warnings: [] },
  },
  ...(await Promise.all(
    (
      [
        ['raised digits', run('10') + run('6', 'superscript') + run(' cells'), '10⁶ cells'],
        ['lowered digits', run('CO') + run('2', 'subscript'), 'CO₂'],
        ['a raised sign', run('10') + run('-3', 'superscript'), '10⁻³'],
        ['raised letters', run('x') + run('ab', 'superscript'), 'x^ab'],
        ['a raised sum', run('x') + run('a+b', 'superscript'), 'x^(a+b)'],
        ['lowered letters', run('V') + run('max', 'subscript'), 'V_max'],
        ['an ordinal', run('1') + run('st', 'superscript'), '1st'],
        ['raised runs in a row', run('2') + run('1', 'superscript') + run('0', 'superscript'), '2¹⁰'],
        ['a cell that is raised as a whole', run('note', 'superscript'), 'note'],
        ['an escaped line end', '<t>first_x000D_\nsecond</t>', 'first second'],
        ['an escape of an escape', '<t>_x005F_x000D_</t>', '_x000D_'],
        ['an escaped letter', '<t>a_x0042_c</t>', 'aBc'],
        ['something like an escape', '<t>a_x00G2_c_x12_</t>', 'a_x00G2_c_x12_'],
        ['furigana', '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>', '東京'],
      ] as const
    ).map(async ([name, runs, text]) => ({
      name: `Excel: ${name}`,
      type: 'xlsx',
      bytes: await sheetOf(inline(runs)),
      markdown: table(text),
      receipt: { warnings: [] },
    })),
  )),
  {
    name: 'Excel: shared texts with runs, escapes and readings',
    type: 'xlsx',
    bytes: await sheetOf(
      '<row><c t="s"><v>1</v></c><c t="s"><v>0</v></c><c t="s"><v>2</v></c></row>',
      {},
      { shared: `<si><t>a_x0009_b</t></si><si>${run('m')}${run('2', 'superscript')}</si><si><t/></si>` },
    ),
    markdown: table('m²', 'a\tb'),
    receipt: { warnings: [] },
  },
  {
    name: 'Excel: text boxes are text; pictures, charts, comments, headers and footers are counted',
    type: 'xlsx',
    bytes: await sheetOf(
      '<row><c><v>1</v></c></row>',
      {
        drawing: `<d:wsDr xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ${a} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:AlternateContent><mc:Choice><d:sp><d:txBody><a:p><a:r><a:t>in a </a:t></a:r><a:r><a:t>box</a:t></a:r></a:p><a:p><a:r><a:t># second</a:t></a:r></a:p></d:txBody></d:sp></mc:Choice><mc:Fallback><a:p><a:r><a:t>old</a:t></a:r></a:p></mc:Fallback></mc:AlternateContent><d:pic><a:blip/></d:pic><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/></d:wsDr>`,
        comments:
          '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><commentList><comment ref="A1"><text><t>why</t></text></comment></commentList></comments>',
      },
      { after: '<headerFooter><oddHeader>&amp;CTop</oddHeader><oddFooter>&amp;P</oddFooter></headerFooter>' },
    ),
    markdown: `${table('1')}\n\nin a box\n\n\\# second`,
    receipt: {
      images: 2,
      warnings: [
        '1 picture left out',
        '1 chart left out',
        '1 comment left out',
        '2 running header or footers left out',
      ],
    },
  },
  {
    name: 'Excel: a sheet that ends early',
    type: 'xlsx',
    bytes: await repacked(xlsxOf({ S: [['a'], ['b']] }), ({ name, content }) => ({
      name,
      content: name.endsWith('sheet1.xml') ? content.slice(0, content.indexOf('<row r="2"')) : content,
    })),
    markdown: table('a'),
    receipt: { warnings: ['the part xl/worksheets/sheet1.xml of the file ends early: what follows in it is missing'] },
  },
  {
    name: 'Excel: sheets of charts and macros, which keep their names and places',
    type: 'xlsx',
    bytes: await repacked(xlsxOf({ One: [['a']], Chart: [], Macro: [['m']], Two: [['b']] }), ({ name, content }) => ({
      name: name.replace('sheet2', '../chartsheets/sheet1').replace('worksheets/../', ''),
      content: name.endsWith('workbook.xml.rels')
        ? content
            .replace('/worksheet" Target="worksheets/sheet2.xml"', '/chartsheet" Target="chartsheets/sheet1.xml"')
            .replace(
              `${types}/worksheet" Target="worksheets/sheet3.xml"`,
              'http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet" Target="worksheets/sheet3.xml"',
            )
        : content,
    })),
    markdown: ['One', 'Macro', 'Two']
      .map((name, index) => table('amb'[index] ?? '').replace('## S', `## ${name}`))
      .join('\n\n'),
    receipt: { pagesIn: 4, pagesOut: 3, warnings: ['sheet 2 has no text'] },
  },
]);
