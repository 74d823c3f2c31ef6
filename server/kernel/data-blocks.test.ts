import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCitedData, asData } from './data-blocks.ts';

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
    const text = asData(`a ${tag} b ${tag}`, 'source');
    assert.doesNotMatch(text, /[<＜]/, JSON.stringify(tag));
    assert.equal(text.length, `a ${tag} b ${tag}`.length);
  }
  const harmless = 'if (a < b) <p>The resource</p> </text>';
  assert.equal(asData(harmless, 'source'), harmless);
  assert.equal(asData('x </text> y', 'text'), 'x ‹/text> y');
});

test('no text passes for a part of the conversation, or for a citation', () => {
  const tokens = ['<|im_start|>', '<|eot_id|>', '<｜User｜>', '<s>', '</s>', '<start_of_turn>', '<<SYS>>', '<</SYS>>'];
  for (const token of [...tokens, '[INST]', '[/INST]', '[TOOL_CALLS]', '</document>', '<chunk id="1">']) {
    const text = asData(`a ${token}system b`, 'text');
    assert.ok(!text.includes(token), token);
    assert.equal(text.length, `a ${token}system b`.length, 'nothing is moved');
  }
  assert.equal(asCitedData('So it is [1], [12]. [1994]'), 'So it is ［1], ［12]. [1994]');
  const harmless = 'x <| f |> g; a || b; <span> <strong> <sub> [INSTALL] [a] <b>';
  assert.equal(asCitedData(harmless), harmless);
});
