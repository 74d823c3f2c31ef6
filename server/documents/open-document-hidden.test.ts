import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDocumentOf } from '../../tests/support/document-files.ts';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

const style = (family: string, name: string, properties: string, parent = ''): string =>
  `<style:style style:name="${name}" style:family="${family}"${parent === '' ? '' : ` style:parent-style-name="${parent}"`}>${properties}</style:style>`;
const display = (value: string): string => `<style:text-properties text:display="${value}"/>`;
const styles = [
  style('text', 'Off', display('none')),
  style('text', 'On', display('true')),
  style('text', 'Other', ''),
  style('paragraph', 'Off', display('none')),
  style('paragraph', 'Based', '<style:text-properties/>', 'Off'),
  style('paragraph', 'Shown', display('true'), 'Off'),
  style('text', 'Loop', '', 'Loop'),
].join('');

const paragraph = (inner: string, name = 'Standard'): string => `<text:p text:style-name="${name}">${inner}</text:p>`;
const span = (inner: string, name: string): string => `<text:span text:style-name="${name}">${inner}</text:span>`;
const section = (inner: string, attributes: string): string =>
  `<text:section text:name="s" ${attributes}>${inner}</text:section>`;
const changes = (...regions: string[]): string =>
  `<text:tracked-changes>${regions.map((region, index) => `<text:changed-region text:id="c${index}">${region}</text:changed-region>`).join('')}</text:tracked-changes>`;
const deletion = (inner: string): string =>
  `<text:deletion><office:change-info><text:p>remark</text:p></office:change-info>${inner}</text:deletion>`;

const hidden = (count: number): string =>
  `text that the document hides is part of the text: ${count} character${count === 1 ? '' : 's'}`;
const deleted = (count: number): string => `text that tracked changes delete left out: ${count} characters`;
const conditional = (count: number): string => `text that fields show under a condition left out: ${count} characters`;
const seen = paragraph('seen');

const texts: readonly (readonly [name: string, body: string, markdown: string, ...warnings: string[]])[] = [
  ['a hidden span', paragraph(`seen ${span('secret', 'Off')}`), 'seen secret', hidden(6)],
  ['a hidden letter', paragraph(`seen ${span('x', 'Off')}`), 'seen x', hidden(1)],
  ['a span in a hidden span', paragraph(`seen ${span(`a${span('b', 'Other')}`, 'Off')}`), 'seen ab', hidden(2)],
  ['a shown span in a hidden one', paragraph(`seen ${span(`a${span('b', 'On')}`, 'Off')}`), 'seen ab', hidden(1)],
  [
    'spaces and tabs in a hidden span',
    paragraph(`seen ${span('a<text:s text:c="2"/>b<text:tab/>c', 'Off')}`),
    'seen a  b\tc',
    hidden(6),
  ],
  ['a hidden paragraph', seen + paragraph('secret', 'Off'), 'seen\n\nsecret', hidden(6)],
  ['a paragraph of a style based on a hidden one', seen + paragraph('secret', 'Based'), 'seen\n\nsecret', hidden(6)],
  ['a paragraph of a style that shows again', seen + paragraph('shown', 'Shown'), 'seen\n\nshown'],
  ['a style based on itself', paragraph(span('seen', 'Loop')), 'seen'],
  ['a hidden section', seen + section(paragraph('secret'), 'text:display="none"'), 'seen\n\nsecret', hidden(6)],
  [
    'a section whose condition hides it',
    seen + section(paragraph('secret'), 'text:display="condition" text:is-hidden="true"'),
    'seen\n\nsecret',
    hidden(6),
  ],
  [
    'a section whose condition shows it',
    seen + section(paragraph('shown'), 'text:display="condition"'),
    'seen\n\nshown',
  ],
  [
    'a paragraph with a field that hides it',
    seen + paragraph(`${span('<text:hidden-paragraph text:is-hidden="true"/>', 'Other')}secret`),
    'seen\n\nsecret',
    hidden(6),
  ],
  [
    'a paragraph with a field that does not hide it',
    paragraph('<text:hidden-paragraph text:is-hidden="false"/>seen'),
    'seen',
  ],
  [
    'deleted text',
    changes(deletion(paragraph('old')), '<text:insertion/>', deletion(`${paragraph('two')}\n${paragraph('more')}`)) +
      paragraph('a<text:change text:change-id="c0"/> b'),
    'a b',
    deleted(10),
  ],
  [
    'a field with the text that it hides',
    paragraph('seen<text:hidden-text text:string-value="secret" text:is-hidden="true"/>'),
    'seen',
    conditional(6),
  ],
  [
    'a field with the text that it shows',
    paragraph('seen<text:hidden-text text:string-value="shown">shown</text:hidden-text>'),
    'seen',
    conditional(5),
  ],
  ['nothing hidden', paragraph(`seen ${span('too', 'Other')}`), 'seen too'],
];

for (const [name, body, markdown, ...warnings] of texts) {
  test(`names what an OpenDocument text does not show: ${name}`, async () => {
    const bytes = openDocumentOf('text', `<office:text>${body}</office:text>`, styles);
    const read = await readDocument(bytes, 'odt', documentLimits);
    assert.deepEqual([read.markdown, ...read.receipt.warnings], [markdown, ...warnings]);
  });
}
