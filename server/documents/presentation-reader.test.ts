import { pptxOf } from '../../tests/support/document-files.ts';
import { testReadings, type DocumentReading } from '../../tests/support/document-readings.ts';
import { repacked } from '../../tests/support/package-variants.ts';

const run = (text: string, properties = ''): string => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;
const paragraph = (inner: string): string => `<a:p>${inner}</a:p>`;
const shape = (type: string, paragraphs: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
const frame = (data: string): string =>
  `<p:graphicFrame><a:graphic><a:graphicData uri="x">${data}</a:graphicData></a:graphic></p:graphicFrame>`;
const math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const formula = (inner: string): string => `<m:oMath ${math}>${inner}</m:oMath>`;
const sign = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
const part = (name: string, inner: string): string => `<m:${name}>${inner}</m:${name}>`;

/** A presentation of one slide whose shapes, or whose notes, are given as XML. */
async function slideOf(shapes: string, notes?: string): Promise<Buffer> {
  return repacked(pptxOf([{ texts: ['%'], ...(notes === undefined ? {} : { notes: '%' }) }]), ({ name, content }) => {
    const inner = name.includes('notesSlides/notes') ? notes : name.endsWith('slides/slide1.xml') ? shapes : undefined;
    return { name, content: inner === undefined ? content : content.replace(/<p:sp>.*<\/p:sp>/s, inner) };
  });
}

const slides: readonly (readonly [name: string, shapes: string, markdown: string, warnings?: readonly string[]])[] = [
  ['a title', shape('ctrTitle', paragraph(run('On soil'))), '# On soil'],
  ['raised text', shape('body', paragraph(run('10') + run('6', 'baseline="30000"'))), '10⁶'],
  ['lowered text', shape('body', paragraph(run('H') + run('2', 'baseline="-25000"') + run('O'))), 'H₂O'],
  ['emphasis', shape('body', paragraph(run('now', 'b="1"') + run(' then', 'b="0"'))), '**now** then'],
  ['a field and a line break', shape('body', paragraph('<a:fld><a:t>7</a:t></a:fld><a:br/>' + run('x'))), '7\nx'],
  [
    'a numbered list of its own',
    shape(
      'body',
      ['one', 'two']
        .map((text) => paragraph(`<a:pPr><a:buAutoNum type="arabicPeriod" startAt="4"/></a:pPr>${run(text)}`))
        .join(''),
    ),
    '4. one\n5. two',
  ],
  [
    'a table with a break in a cell',
    frame(
      `<a:tbl>${[
        ['a', 'b'],
        ['1', '2'],
      ]
        .map(
          (row) =>
            `<a:tr>${row.map((cell) => `<a:tc><a:txBody>${paragraph(run(cell))}</a:txBody></a:tc>`).join('')}</a:tr>`,
        )
        .join('')}</a:tbl>`,
    ),
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a chart beside text',
    shape('body', paragraph(run('see'))) +
      frame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/>'),
    'see',
    ['1 chart left out'],
  ],
  [
    'a group of shapes and a picture',
    `<p:grpSp>${shape('body', paragraph(run('in a group')))}<p:pic/></p:grpSp>`,
    'in a group',
    ['1 picture left out'],
  ],
  [
    'text written for two versions',
    `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="unknown">${shape('body', paragraph(run('new')))}</mc:Choice><mc:Fallback>${shape('body', paragraph(run('old')))}</mc:Fallback></mc:AlternateContent>`,
    'old',
  ],
  [
    'a fraction and a root',
    shape(
      'body',
      paragraph(
        run('is ') +
          formula(part('f', part('num', sign('1')) + part('den', sign('n'))) + part('rad', part('e', sign('x+1')))),
      ),
    ),
    String.raw`is $\frac{1}{n}\sqrt{x+1}$`,
  ],
  [
    'a sum',
    shape(
      'body',
      paragraph(
        formula(
          part(
            'nary',
            `<m:naryPr><m:chr m:val="∑"/></m:naryPr>${part('sub', sign('i'))}${part('sup', sign('10'))}${part('e', sign('k'))}`,
          ),
        ),
      ),
    ),
    String.raw`$\sum_i^{10}k$`,
  ],
];

const seen = shape('body', paragraph(run('seen')));
const notes: readonly (readonly [name: string, notes: string, markdown: string])[] = [
  ['notes of two paragraphs', shape('body', paragraph(run('one')) + paragraph(run('two'))), '> one\n>\n> two'],
  ['notes with a number', shape('body', paragraph(run('say'))) + shape('sldNum', paragraph(run('7'))), '> say'],
  ['notes with a date and a header', shape('dt', paragraph(run('May'))) + shape('hdr', paragraph(run('Top'))), ''],
  ['notes with a line break', shape('body', paragraph(`${run('a')}<a:br/>${run('b')}`)), '> a\n> b'],
  [
    'notes with a list',
    shape('body', ['x', 'y'].map((text) => paragraph(`<a:pPr><a:buChar char="•"/></a:pPr>${run(text)}`)).join('')),
    '> - x\n> - y',
  ],
  ['notes in two shapes', shape('body', paragraph(run('a'))) + shape('body', paragraph(run('b'))), '> a\n>\n> b'],
];

testReadings(
  await Promise.all([
    ...slides.map(async ([name, shapes, markdown, warnings = []]): Promise<DocumentReading> => {
      const receipt = { warnings: [...warnings] };
      return { name: `PowerPoint: ${name}`, type: 'pptx', bytes: await slideOf(shapes), markdown, receipt };
    }),
    ...notes.map(async ([name, inner, quotation]): Promise<DocumentReading> => {
      const markdown = ['seen', quotation].filter((text) => text !== '').join('\n\n');
      const bytes = await slideOf(seen, inner);
      return { name: `PowerPoint: ${name}`, type: 'pptx', bytes, markdown, receipt: { warnings: [] } };
    }),
  ]),
);
