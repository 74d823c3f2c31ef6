import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutFrontMatter } from './front-matter.ts';

const readmes: Record<string, [text: string, drawn: string]> = {
  'facts of the Hub': ['---\nlicense: mit\ntags:\n- one\n  - two\n\n# note\n---\n# Title\n', '# Title\n'],
  'Windows lines': ['---\r\nlicense: mit\r\n---\r\n# Title\r\n', '# Title\r\n'],
  'nothing else': ['---\nlicense: mit\n---', ''],
  'an empty block': ['---\n---\nText', 'Text'],
  'a rule at the start': ['---\n\nA text.\n\n---\n\nMore', '---\n\nA text.\n\n---\n\nMore'],
  'a block without an end': ['---\nlicense: mit\n# Title', '---\nlicense: mit\n# Title'],
  'a block further down': ['# Title\n---\na: b\n---\n', '# Title\n---\na: b\n---\n'],
};
for (const [name, [text, drawn]] of Object.entries(readmes)) {
  test(`front matter is left out of what is drawn: ${name}`, () => assert.equal(withoutFrontMatter(text), drawn));
}

test('a long block without an end takes no time', () => {
  const text = `---\n${'a: b\n\n'.repeat(50_000)}`;
  const started = performance.now();
  assert.equal(withoutFrontMatter(text), text);
  assert.ok(performance.now() - started < 1000);
});
