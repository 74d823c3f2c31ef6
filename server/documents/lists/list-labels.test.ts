import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docxOf, openDocumentOf } from '../../../tests/support/document-files.ts';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';
import { numberAs } from './number-formats.ts';

const numbers: readonly [format: string, numbers: readonly number[], labels: string][] = [
  ['decimal', [1, 0], '1 0'],
  ['decimalZero', [5, 12], '05 12'],
  ['lowerLetter', [1, 26, 27, 54], 'a z aa bbb'],
  ['upperLetter', [3], 'C'],
  ['lowerRoman', [4, 9, 14, 49], 'iv ix xiv xlix'],
  ['upperRoman', [1999, 2024, 4000], 'MCMXCIX MMXXIV 4000'],
  ['ordinal', [1, 2, 3, 4, 11, 22], '1st 2nd 3rd 4th 11th 22nd'],
  ['cardinalText', [1, 20, 42], 'One Twenty Forty-two'],
  ['ordinalText', [1, 12, 20, 31], 'First Twelfth Twentieth Thirty-first'],
  ['chineseCounting', [1, 10, 12, 20, 35], '一 十 十二 二十 三十五'],
  ['decimalEnclosedCircle', [1, 20, 21], '① ⑳ 21'],
  ['ideographTraditional', [1, 10], '甲 癸'],
  ['russianLower', [1, 3], 'а в'],
  ['something new', [7], '7'],
];
for (const [format, values, labels] of numbers) {
  test(`numbers in the format ${format}`, () => {
    assert.equal(values.map((value) => numberAs(format, value)).join(' '), labels);
  });
}

/** Levels of a list as format and label, items as level and text, and their Markdown. */
type Word = readonly [
  levels: readonly (readonly [string, string, number?])[],
  items: readonly (readonly [number, string])[],
  markdown: string,
];
const word: readonly Word[] = [
  [
    [['decimal', 'Article %1.']],
    [
      [0, 'a'],
      [0, 'b'],
    ],
    '- Article 1. a\n- Article 2. b',
  ],
  [
    [
      ['decimal', '%1.'],
      ['lowerLetter', '(%2)'],
    ],
    [
      [0, 'a'],
      [1, 'b'],
      [1, 'c'],
      [0, 'd'],
      [1, 'e'],
    ],
    '1. a\n    - (a) b\n    - (b) c\n2. d\n    - (a) e',
  ],
  [
    [
      ['upperRoman', '%1.'],
      ['decimal', '%1.%2'],
    ],
    [
      [0, 'a'],
      [1, 'b'],
    ],
    '- I. a\n    - I.1 b',
  ],
  [
    [['decimal', '%1.', 4]],
    [
      [0, 'a'],
      [0, 'b'],
    ],
    '4. a\n5. b',
  ],
  [[['decimal', '%1)']], [[0, 'a']], '- 1) a'],
  [[['bullet', '·']], [[0, 'a']], '- a'],
  [[['none', '']], [[0, 'a']], '- a'],
  [
    [['chineseCounting', '第%1条']],
    [
      [0, 'a'],
      [0, 'b'],
    ],
    '- 第一条 a\n- 第二条 b',
  ],
  [
    [
      ['decimal', '§ %1'],
      ['decimal', '§ %1.%2'],
    ],
    [
      [1, 'a'],
      [0, 'b'],
    ],
    '    - § 1.1 a\n- § 1 b',
  ],
  [[['decimalZero', '%1.']], [[0, 'a']], '- 01. a'],
];
for (const [levels, items, markdown] of word) {
  test(`labels of Word: ${markdown.split('\n', 1)[0]}`, async () => {
    const level = ([format, label, start = 1]: readonly [string, string, number?], place: number): string =>
      `<w:lvl w:ilvl="${place}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${label}"/></w:lvl>`;
    const numbering = `<w:abstractNum w:abstractNumId="0">${levels.map(level).join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
    const body = items
      .map(
        ([place, text]) =>
          `<w:p><w:pPr><w:numPr><w:ilvl w:val="${place}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`,
      )
      .join('');
    const { markdown: read } = await readDocument(docxOf([], { body, parts: { numbering } }), 'docx', documentLimits);
    assert.equal(read, markdown.trimStart());
  });
}

const pages: readonly [html: string, markdown: string][] = [
  ['<ol start="4"><li>a<li>b</ol>', '4. a\n5. b'],
  ['<ol type="a"><li>x<li>y</ol>', '- a. x\n- b. y'],
  ['<ol type="A" start="3"><li>x</ol>', '- C. x'],
  ['<ol type="i"><li>x<li value="9">y<li>z</ol>', '- i. x\n- ix. y\n- x. z'],
  ['<ol type="I"><li><p>x</p></li></ol>', '- I. x'],
  ['<ol style="list-style-type: lower-alpha"><li>x</ol>', '- a. x'],
  ['<ol style="color: red; list-style: upper-roman inside"><li>x</ol>', '1. x'],
  ['<ol type="a" reversed><li>x<li>y</ol>', '- b. x\n- a. y'],
  ['<ol><li>x<ol type="a"><li>y</ol><li>z</ol>', '1. x\n    - a. y\n2. z'],
  ['<ol type="1"><li>x</ol>', '1. x'],
];
for (const [html, markdown] of pages) {
  test(`labels of a page: ${html}`, async () => {
    const read = await readDocument(Buffer.from(`<html>${html}</html>`), 'html', documentLimits);
    assert.equal(read.markdown, markdown);
  });
}

const odtLevel = (level: number, format: string, more = ''): string =>
  `<text:list-level-style-number text:level="${level}" style:num-format="${format}" ${more}/>`;
const odtItem = (text: string, inner = '', attributes = ''): string =>
  `<text:list-item ${attributes}><text:p>${text}</text:p>${inner}</text:list-item>`;
const odtList = (items: string, attributes = 'text:style-name="L"'): string =>
  `<text:list ${attributes}>${items}</text:list>`;

const dot = 'style:num-suffix="."';
/** Levels of a list style, lists, and their Markdown. */
const openDocuments: readonly [levels: string, lists: string, markdown: string][] = [
  [odtLevel(1, '1', dot), odtList(odtItem('a', '', 'text:start-value="4"') + odtItem('b')), '4. a\n5. b'],
  [odtLevel(1, '1', `${dot} text:start-value="4"`), odtList(odtItem('a') + odtItem('b')), '4. a\n5. b'],
  [
    odtLevel(1, 'a', 'style:num-prefix="(" style:num-suffix=")"'),
    odtList(odtItem('a') + odtItem('b')),
    '- (a) a\n- (b) b',
  ],
  [odtLevel(1, '1', 'style:num-prefix="Article " style:num-suffix="."'), odtList(odtItem('a')), '- Article 1. a'],
  [odtLevel(1, 'I', dot), odtList(odtItem('a') + odtItem('b')), '- I. a\n- II. b'],
  [
    odtLevel(1, '1', dot) + odtLevel(2, '1', `${dot} text:display-levels="2"`),
    odtList(odtItem('a', odtList(odtItem('b') + odtItem('c'), '')) + odtItem('d', odtList(odtItem('e'), ''))),
    '1. a\n    - 1.1. b\n    - 1.2. c\n2. d\n    - 2.1. e',
  ],
  [
    odtLevel(1, '1', dot),
    `${odtList(odtItem('a'))}<text:p>between</text:p>${odtList(odtItem('b'), 'text:style-name="L" text:continue-numbering="true"')}`,
    '1. a\n\nbetween\n\n2. b',
  ],
  [
    odtLevel(1, '1', dot),
    `${odtList(odtItem('a'))}<text:p>between</text:p>${odtList(odtItem('b'))}`,
    '1. a\n\nbetween\n\n1. b',
  ],
  ['<text:list-level-style-bullet text:level="1" text:bullet-char="•"/>', odtList(odtItem('a')), '- a'],
  [odtLevel(1, '一, 二, 三, ...', 'style:num-prefix="第" style:num-suffix="条 "'), odtList(odtItem('a')), '- 第一条 a'],
];
for (const [levels, lists, markdown] of openDocuments) {
  test(`labels of OpenDocument: ${markdown.replaceAll('\n', '↵')}`, async () => {
    const styles = `<text:list-style style:name="L">${levels}</text:list-style>`;
    const bytes = openDocumentOf('text', `<office:text>${lists}</office:text>`, styles);
    assert.equal((await readDocument(bytes, 'odt', documentLimits)).markdown, markdown);
  });
}
