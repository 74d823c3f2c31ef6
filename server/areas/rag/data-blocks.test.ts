import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTag } from './data-blocks.ts';

test('no text ends the block it stands in, however the tag is written', () => {
  for (const tag of [
    '</source>',
    '</SOURCE >',
    '< / source>',
    '<\u200b/\u200bsource>',
    '</so\u00adurce>',
    '<source number="1">',
    '＜/source＞',
    '<\\/source>',
    '<\n/source\n>',
  ]) {
    const text = withoutTag(`a ${tag} b ${tag}`, 'source');
    assert.doesNotMatch(text, /[<＜]/, JSON.stringify(tag));
    assert.equal(text.length, `a ${tag} b ${tag}`.length);
  }
  const harmless = 'if (a < b) <p>The resource</p> </text>';
  assert.equal(withoutTag(harmless, 'source'), harmless);
  assert.equal(withoutTag('x </text> y', 'text'), 'x ‹/text> y');
});
