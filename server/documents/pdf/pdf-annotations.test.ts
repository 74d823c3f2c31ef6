import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownText } from '../../../tests/support/pdf-files.ts';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

/** A PDF of one page with annotations, in objects from number 6 on; more objects follow those. */
function pdfWith(
  content: string,
  annotations: readonly string[],
  { catalog = '', properties = '', objects = [] as readonly string[] } = {},
): Buffer {
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
  const first = 6;
  const references = annotations.map((_, index) => `${first + index} 0 R`).join(' ');
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog.replace('FIELDS', `[${references}]`)} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [${references}] /Resources << /Font << /F1 5 0 R >> /Properties << ${properties} >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font,
    ...annotations.map((annotation) => `<< /Type /Annot ${annotation} >>`),
    ...objects,
  ];
  let text = '%PDF-1.7\n';
  const offsets = all.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = text.length;
  text += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) text += `${String(offset).padStart(10, '0')} 00000 n \n`;
  return Buffer.from(
    `${text}trailer\n<< /Size ${all.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  );
}

async function read(bytes: Uint8Array): Promise<{ markdown: string; warnings: string[] }> {
  const { markdown, receipt } = await readDocument(bytes, 'pdf', documentLimits);
  return { markdown, warnings: receipt.warnings };
}

const widget = (field: string, y: number, x = 150): string =>
  `/Subtype /Widget /F 4 /Rect [${x} ${y} ${x + 120} ${y + 16}] ${field}`;
const form = '/AcroForm << /Fields FIELDS /DA (/F1 10 Tf 0 g) >>';

const fields: readonly [name: string, field: string, text: string][] = [
  ['a text', '/FT /Tx /T (a) /V (Meier)', 'Meier'],
  ['an empty text', '/FT /Tx /T (a)', ''],
  ['a text in UTF-16', '/FT /Tx /T (a) /V <FEFF4E2D6587>', '中文'],
  ['a chosen entry', '/FT /Ch /Ff 131072 /T (a) /Opt [(Apple) (Pear)] /V (Pear)', 'Pear'],
  ['an entry with another name', '/FT /Ch /T (a) /Opt [[(1) (One)] [(2) (Two)]] /V (2)', 'Two'],
  ['several entries', '/FT /Ch /Ff 2097152 /T (a) /Opt [(A) (B) (C)] /V [(A) (C)]', 'A, C'],
  ['a ticked box', '/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>', '☒'],
  ['an empty box', '/FT /Btn /T (a) /V /Off /AS /Off /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>', '☐'],
  ['a push button', '/FT /Btn /Ff 65536 /T (a) /MK << /CA (Press) >>', ''],
  ['a signature', '/FT /Sig /T (a)', ''],
];
for (const [name, field, text] of fields) {
  test(`the value of a form field: ${name}`, async () => {
    const page = await read(pdfWith(shownText('Label:', 72, 703), [widget(field, 700)], { catalog: form }));
    assert.deepEqual(page, { markdown: text === '' ? 'Label:' : `Label: ${text}`, warnings: [] });
  });
}

test('several lines, radio buttons, passwords, hidden values', async () => {
  const radio = (y: number, value: string): string =>
    widget(`/Parent 10 0 R /AS /${value === 'b' ? 'b' : 'Off'} /AP << /N << /${value} 5 0 R /Off 5 0 R >> >>`, y);
  const bytes = pdfWith(
    ['first', 'second'].map((text, index) => shownText(text, 72, 603 - 40 * index)).join('\n'),
    [
      `/Subtype /Widget /F 4 /Rect [72 640 300 700] /FT /Tx /Ff 4096 /T (m) /V (line one\\nline two)`,
      radio(600, 'a'),
      radio(560, 'b'),
      widget('/FT /Tx /Ff 8192 /T (p) /V (secret)', 500),
    ],
    { catalog: form, objects: ['<< /FT /Btn /Ff 32768 /T (r) /V /b /Kids [7 0 R 8 0 R] >>'] },
  );
  const { markdown, warnings } = await read(bytes);
  assert.match(markdown, /line one\s+line two/);
  assert.match(markdown, /first ☐\s+second ☒/);
  assert.doesNotMatch(markdown, /secret/);
  assert.deepEqual(warnings, ['1 value of fields for passwords left out']);
  const hidden = await read(
    pdfWith(shownText('x', 72, 703), [widget('/FT /Tx /T (h) /V (unseen)', 700).replace('/F 4', '/F 2')], {
      catalog: form,
    }),
  );
  assert.deepEqual(hidden.warnings, ['text that the document hides is part of the text: 6 characters']);
});

test('a page with nothing but boxes is a page without text', async () => {
  const box = widget('/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>', 700);
  await assert.rejects(
    read(pdfWith('0 0 100 100 re f', [box], { catalog: form })),
    /1 page without text: scanned or drawn/,
  );
});

test('free text is text; comments, attached files and XFA are named', async () => {
  const file = '<< /Type /Filespec /F (plan.xlsx) /EF << /F 4 0 R >> >>';
  const bytes = pdfWith(
    shownText('Body', 72, 720),
    [
      '/Subtype /FreeText /F 4 /Rect [72 600 300 620] /DA (/F1 10 Tf) /Contents (Written on the page)',
      '/Subtype /Text /Rect [300 700 320 720] /Contents (a note)',
      '/Subtype /Highlight /Rect [72 715 100 730] /QuadPoints [72 730 100 730 72 715 100 715] /Contents (a remark)',
      '/Subtype /Underline /Rect [72 715 100 730] /QuadPoints [72 730 100 730 72 715 100 715]',
      `/Subtype /FileAttachment /Rect [400 700 420 720] /FS ${file}`,
    ],
    {
      catalog: `/AcroForm << /Fields [] /XFA 4 0 R >> /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (data.csv) /EF << /F 4 0 R >> >>] >> >>`,
    },
  );
  assert.deepEqual(await read(bytes), {
    markdown: 'Body\n\nWritten on the page',
    warnings: [
      '2 comments left out',
      'attachment data.csv was not read',
      'attachment plan.xlsx was not read',
      'the form is written in XFA, too, which is not read: only its fields on the pages are',
    ],
  });
});

test('text of a layer that is off is named', async () => {
  const content = `${shownText('seen', 72, 720)}\n/OC /L1 BDC\n${shownText('unseen', 72, 660)}\nEMC\n/OC /L2 BDC\n${shownText('shown', 72, 600)}\nEMC`;
  const bytes = pdfWith(content, [], {
    catalog: '/OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [6 0 R] >> >>',
    properties: '/L1 6 0 R /L2 7 0 R',
    objects: ['<< /Type /OCG /Name (Draft) >>', '<< /Type /OCG /Name (Print) >>'],
  });
  const { markdown, warnings } = await read(bytes);
  assert.equal(markdown, 'seen\n\nunseen\n\nshown');
  assert.deepEqual(warnings, [
    'text that the document hides is part of the text: 6 characters',
    'layer “Draft” is off in the document: its text is part of the text',
  ]);
});

/** What a page draws, and what it says. */
const drawn: readonly [name: string, operators: string, text: string][] = [
  ['three copies', [0, 0.3, 0.6].map((shift) => shownText('Bold heading', 72 + shift, 700)).join('\n'), 'Bold heading'],
  ['a shadow', shownText('Shadow', 73, 699) + shownText('Shadow', 72, 700), 'Shadow'],
  [
    'letter by letter',
    [...'BOLD']
      .map((letter, at) => [0, 0.4].map((shift) => shownText(letter, 72 + 8.2 * at + shift, 700)).join('\n'))
      .join('\n'),
    'BOLD',
  ],
  [
    'a copy after other text',
    shownText('Title', 72, 700) + shownText('Body', 72, 640) + shownText('Title', 72.4, 700),
    'Title\n\nBody',
  ],
  ['the same word twice', shownText('ha', 72, 700) + shownText('ha', 92, 700), 'ha ha'],
  ['double letters', shownText('l', 72, 700) + shownText('l', 74.7, 700) + shownText('ama', 77.4, 700), 'llama'],
  ['the same word below', shownText('same', 72, 700) + shownText('same', 72, 640), 'same\n\nsame'],
  [
    'numbers of two digits',
    [12, 34, 56, 78].map((number, at) => shownText(`${number}`, 72, 700 - 14 * at)).join('\n'),
    '12 34 56 78',
  ],
  [
    'numbers of lines',
    [8, 9, 10, 11].map((number, at) => shownText(`${number}`, 72, 700 - 14 * at)).join('\n'),
    '8 9 10 11',
  ],
  [
    'a scale',
    [0, 25, 50, 75, 100].map((number, at) => shownText(`${number}`, 72, 700 - 9 * at, 6)).join('\n'),
    '0 25 50 75 100',
  ],
  ['letters', ['a', 'b', 'c'].map((letter, at) => shownText(letter, 72, 700 - 14 * at)).join('\n'), 'a b c'],
  ['units', ['kg', 'cm', 'ml'].map((unit, at) => shownText(unit, 72, 700 - 14 * at)).join('\n'), 'kg cm ml'],
];
for (const [name, operators, text] of drawn) {
  test(`a page with ${name}`, async () => {
    assert.equal((await read(pdfWith(operators, []))).markdown, text);
  });
}
