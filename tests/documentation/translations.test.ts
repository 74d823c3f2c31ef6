// A page in Chinese has the headings, commands, pictures and links of the English one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPages, readPage } from './pages.ts';

const translated = listPages().filter((path) => path.endsWith('.zh.md'));

/** Commands without their comments, which are translated. */
function commandsOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.replace(/(?:^|\s)#\s.*$/, '').trimEnd() || []);
}

test('the README and the first steps are there in Chinese', () => {
  assert.deepEqual(translated, ['README.zh.md', 'docs/first-steps.zh.md']);
});

for (const path of translated) {
  const original = path.replace('.zh.md', '.md');

  test(`${path} is in step with ${original}`, () => {
    const [english, chinese] = [readPage(original), readPage(path)];
    const shapeOf = ({ headings, code, tables }: typeof english): unknown => ({
      headings: headings.map(({ level }) => level),
      code: code.map(({ language, text }) => ({ language, commands: commandsOf(text) })),
      tables: tables.map((rows) => rows.map((cells) => cells.length)),
    });
    assert.deepEqual(shapeOf(chinese), shapeOf(english));
    // Each page links to the other, and both to the same pages in their own language.
    const addresses = ({ links }: typeof english): string[] =>
      links.map(({ address }) => address.replace('.zh.md', '.md'));
    assert.deepEqual(addresses(chinese).slice(1), addresses(english).slice(1));
    assert.ok(
      !chinese.headings.some(({ text }) => text !== 'Tilth' && !/\p{Script=Han}/u.test(text)),
      'all translated',
    );
  });
}
