import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlTagRemover } from './html-tag-remover.ts';

const each = htmlTagRemover.each({ lineBreaks: false, decodeEntities: true });
function withoutTags(text: string): string {
  const outcome = each({ text });
  assert.ok('text' in outcome && outcome.text !== undefined);
  return outcome.text;
}

const texts: readonly [title: string, text: string, expected: string][] = [
  ['a style with an attribute of Vue', '<style scoped>p{}</style>t', 't'],
  [
    'a script with one',
    '<p>a</p><script setup lang="ts">\nimport a from \'a\';\n\nconst b = a < 1;\n</script><p>b</p>',
    'ab',
  ],
  ['in the middle of a line', 'a <script setup>b</script> c <STYLE Amp-Custom >d</STYLE>e', 'a  c e'],
  [
    'attributes that HTML has',
    '<script defer>a</script><script async src=b crossorigin></script><script type="module">c</script>d',
    'd',
  ],
  ['slots of a template', 'a<template #default>b</template><template v-slot:c="{ d }">e</template>f', 'af'],
  ['prefixed attributes without a value', '<div v-cloak><i data-icon aria-hidden>a</i></div>', 'a'],
  ['addresses without quotes', '<a href=/a?b=c&d=e/f>g</a>', 'g'],
  ['an unknown attribute', 'a<div clearfix>b</div>c', 'a<div clearfix>b</div>c'],
  ['end tags by the nesting', '<b>a <b or c>d<b>e</b></b>f</b></b>', 'a <b or c>de</b>f'],
  ['attributes of a template language', '<b>a</b><b {...c}>d</b><b {...e} /></b>', 'a<b {...c}>d</b><b {...e} />'],
  [
    'a script that is only mentioned',
    'The <script foo> tag\n\nand </script> <i>too</i>',
    'The <script foo> tag\n\nand </script> too',
  ],
  ['prose in the place of attributes', 'Use <style = x, or y> here</style>', 'Use <style = x, or y> here'],
  ['a word of prose without an end tag', '<style name> <source file> <i>a</i>', '<style name> <source file> a'],
  ['a comparison in a paragraph', '<p>if x<p then q>r</p> <b>a <b && c> d</b>', 'if x<p then q>r a <b && c> d'],
];
for (const [title, text, expected] of texts) {
  test(`tags go or stay in pairs: ${title}`, () => {
    assert.equal(withoutTags(text), expected);
  });
}

test('attributes are read once, however they could be divided, and mentions nest as deep as they like', () => {
  const count = 20_000;
  const start = performance.now();
  for (const divided of ['a=b/hidden ', 'a=bcd', 'a ', 'a  =', '/', 'a=""'])
    assert.ok(withoutTags(`<a ${divided.repeat(count)} !>b`).endsWith(' !>b'));
  const nested = `${'<b or c>'.repeat(count)}${'<b>'.repeat(count)}`;
  assert.equal(withoutTags(nested + '</b>'.repeat(2 * count)), '<b or c>'.repeat(count) + '</b>'.repeat(count));
  assert.ok(performance.now() - start < 10_000);
});
