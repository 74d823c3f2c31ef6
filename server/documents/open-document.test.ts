import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../tests/support/zip-files.ts';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

const spaces = {
  office: 'office',
  text: 'text',
  draw: 'drawing',
  style: 'style',
  table: 'table',
  svg: 'svg-compatible',
};
const named = Object.entries(spaces)
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat('xmlns:xlink="http://www.w3.org/1999/xlink"')
  .join(' ');
const styles =
  '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="i" style:num-suffix="."/>' +
  '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>';
const mathml = (inner: string): string =>
  `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow>${inner}</mrow><annotation encoding="StarMath 5.0">m</annotation></semantics></math>`;

/** The Markdown of a text with the formulas `m⋅c²` (Object 1), one that says nothing (Object 2), and a chart (Object 3). */
async function read(body: string): Promise<string> {
  const bytes = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', isStored: true },
    {
      name: 'content.xml',
      content: `<office:document-content ${named}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    },
    {
      name: 'Object 1/content.xml',
      content: mathml('<mi>m</mi><mo stretchy="false">⋅</mo><msup><mi>c</mi><mn>2</mn></msup>'),
    },
    { name: 'Object 2/content.xml', content: mathml('') },
    { name: 'Object 3/content.xml', content: `<office:document-content ${named}/>` },
  ]);
  return (await readDocument(bytes, 'odt', documentLimits)).markdown;
}

const p = (inner: string): string => `<text:p>${inner}</text:p>`;
const list = (...items: string[]): string =>
  `<text:list text:style-name="L">${items.map((inner) => `<text:list-item>${inner}</text:list-item>`).join('')}</text:list>`;
const object = (number: number): string => `<draw:frame><draw:object xlink:href="./Object ${number}"/></draw:frame>`;
const note = (body: string): string =>
  `<text:note text:id="n" text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>${body}</text:note-body></text:note>`;
const comment = (body: string): string => `<office:annotation>${body}</office:annotation>`;
const latex = String.raw`$m\cdot c^2$`;

const lists: readonly [name: string, body: string, markdown: string][] = [
  ['items in items', list(p('a'), p('b') + list(p('c'), p('d'))), '- i. a\n- ii. b\n    - a) c\n    - b) d'],
  ['a formula', list(p(`a ${object(1)}`), p('b')), `- i. a ${latex}\n- ii. b`],
  ['a formula alone', list(p(object(1)), p('b')), `- i. ${latex}\n- ii. b`],
  ['formulas in all items', list(p(`x ${object(1)}`), p(`y ${object(1)}`)), `- i. x ${latex}\n- ii. y ${latex}`],
  [
    'a picture with a description',
    list(p('a<draw:frame><draw:image xlink:href="1.png"/><svg:desc>words</svg:desc></draw:frame>'), p('b')),
    '- i. a\n- ii. b',
  ],
  ['a line break', list(p('a<text:line-break/>d'), p('b')), '- i. a\n\nd\n\n- ii. b'],
  ['hidden text', list(p('<text:hidden-text>zz</text:hidden-text>a'), p('b')), '- i. a\n- ii. b'],
  ['a second paragraph', list(p('a') + p('more'), p('b')), '- i. a\n\nmore\n\n- ii. b'],
  ['empty items', list(...Array.from({ length: 60 }, () => p('')), p('b'), p('c')), '- lxi. b\n- lxii. c'],
  ['a comment', list(p(`a${comment(p('remark'))}x`), p('b')), '- i. ax\n- ii. b'],
  ['a note', list(p(`a${note(p('n'))}`), p('b')), '- i. a[^n]\n- ii. b\n\n[^n]: n'],
  ['equal words', list(p('a'), p('a'), p('a')), '- i. a\n- ii. a\n- iii. a'],
  ['no letters', list(p('***'), p('—')), '- i. ***\n- ii. —'],
  ['a heading', list('<text:h text:outline-level="1">a</text:h>', p('b')), '- i. a\n- ii. b'],
];
for (const [name, body, markdown] of lists) {
  test(`items of lists have their labels: ${name}`, async () => assert.equal(await read(body), markdown));
}

const formulas: readonly [name: string, body: string, markdown: string][] = [
  ['in a paragraph', p(`x ${object(1)}`), `x ${latex}`],
  ['in a note', p(`x${note(p(object(1)))}`) + p(`y ${object(1)}`), `x[^n]\n\ny ${latex}\n\n[^n]: ${latex}`],
  ['beside one that says nothing', p(`x ${object(1)}`) + p(`y${object(2)}`), `x ${latex}\n\ny`],
  [
    'after a deleted one',
    `<text:tracked-changes><text:changed-region><text:deletion>${p(object(1))}</text:deletion></text:changed-region></text:tracked-changes>${p(`y ${object(1)}`)}`,
    `y ${latex}`,
  ],
  ['after one in a comment', p(`a${comment(p(object(1)))}`) + p(`y ${object(1)}`), `a\n\ny ${latex}`],
  ['beside a chart', p(`x ${object(1)}`) + p(`y ${object(3)}`), `x ${latex}\n\ny`],
  ['in a heading', `<text:h text:outline-level="1">H ${object(1)}</text:h>`, `# H ${latex}`],
];
for (const [name, body, markdown] of formulas) {
  test(`formulas are valid LaTeX: ${name}`, async () => assert.equal(await read(body), markdown));
}
