// Links between pages must resolve, and decisions are numbered without gaps.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { apiTypes, operatorTexts } from '../../scripts/generated-files.mjs';
import { anchorOf, listPages, readPage, root } from './pages.ts';

test('each link of a page leads to a file, and to a heading that is there', () => {
  const pages = listPages();
  assert.ok(pages.length > 50, 'the test found the pages');
  const dead: string[] = [];
  for (const path of pages) {
    for (const { address } of readPage(path).links) {
      if (/^[a-z]+:/.test(address)) continue;
      const [file = '', anchor] = decodeURI(address).split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      const isThere = existsSync(join(root, target));
      const hasHeading = (name: string): boolean =>
        readPage(target).headings.some(({ text }) => anchorOf(text) === name);
      if (!isThere || (anchor !== undefined && target.endsWith('.md') && !hasHeading(anchor)))
        dead.push(`${path}: ${address}`);
    }
  }
  assert.deepEqual(dead, []);
});

test('decisions are numbered without a gap, and all are listed under their titles', () => {
  const files = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const listed = readPage('docs/decisions/README.md').links.map(({ address, text }) => [address, text]);
  assert.ok(files.length > 20);
  const expected = files.toSorted().map((name, index) => {
    const number = index + 1;
    assert.equal(name.slice(0, 5), `${String(number).padStart(4, '0')}-`, name);
    const [title] = readPage(`docs/decisions/${name}`).headings;
    assert.match(title?.text ?? '', new RegExp(`^${number}\\. `), name);
    return [name, title?.text.slice(`${number}. `.length)];
  });
  assert.deepEqual(listed, expected);
});

test('the number in the text of a link is that of the decision that it leads to', () => {
  let links = 0;
  for (const path of listPages())
    for (const { address, text } of readPage(path).links) {
      const [, number] = /^decision (\d+)$/i.exec(text) ?? [];
      if (number === undefined) continue;
      links++;
      assert.match(address, new RegExp(`(?:^|/)${number.padStart(4, '0')}-`), `${path}: ${text}`);
    }
  assert.ok(links > 10);
});

/** Files in the examples of recipes and flows, and files generated on demand. */
const examples = new Set([
  apiTypes,
  operatorTexts,
  'server/operators/filters/word-count-filter.ts',
  'server/storage/database/migrations/0099-bookmarks-expand.ts',
  'server/areas/data-management/queries/bookmarks.ts',
  'tests/web/.screenshots',
  'web/areas/X/routes.tsx',
]);

test('each file or folder that a page for contributors names by its whole path is there', () => {
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/flows.md', 'docs/folders.md'].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const paths = text.matchAll(/`((?:bench|deploy|docs|examples|scripts|server|tests|web)\/[\w./-]*\w\/?)`/g);
    return [...paths].map(([, path = '']) => path);
  });
  assert.ok(named.length > 40);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path)) && !examples.has(path)),
    [],
  );
});
