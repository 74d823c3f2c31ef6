import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

const words: readonly [html: string, markdown: string][] = [
  ['<b>W</b>ombats', 'Wombats'],
  ['para<i>meter</i>ised <i>thing</i>', 'parameterised *thing*'],
  ['<b>one <i>tw</i>o</b>', '**one two**'],
  ['<b>a</b><i>b</i>c', 'abc'],
  ['<b>bold</b>, then', '**bold**, then'],
  ['<b>bold </b>next', '**bold** next'],
  ['read para<a href="https://x.example/">meter</a>s', 'read [parameters](https://x.example/)'],
  ['<b>all of i</b>t', '**all of** it'],
  ['<s>ol</s>d', 'old'],
  ['10<sup>6</sup> H<sub>2</sub>O x<sup>ab</sup>', '10⁶ H₂O x^ab'],
  ['<b>数据</b>准备', '**数据**准备'],
  ["<b>l'</b>eau", "l'eau"],
  ['<b>Pri</b>вет', 'Priвет'],
];
for (const [html, markdown] of words) {
  test(`words stay whole: ${html}`, async () => {
    const read = await readDocument(Buffer.from(`<html><p>${html}</p></html>`), 'html', documentLimits);
    assert.equal(read.markdown, markdown);
  });
}
