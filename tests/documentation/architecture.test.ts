// ARCHITECTURE.md stays one page, and its folder trees name every existing folder.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPage, root } from './pages.ts';

const notOfTheSources = new Set(['node_modules', 'dist', 'dist.new', 'data', 'public']);

function foldersIn(path: string): string[] {
  const names = readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith('.') && !notOfTheSources.has(entry.name) ? [entry.name] : [],
  );
  assert.ok(names.length > 0, path);
  return names;
}

/** The first code block of a page. */
function treeOf(path: string): string {
  return readPage(path).code[0]?.text ?? '';
}

test('ARCHITECTURE.md is one page', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const lines = text.split('\n').length;
  assert.ok(lines <= 70 && text.length <= 6000, `${lines} lines of ${text.length} characters`);
});

const trees = {
  'ARCHITECTURE.md': ['server', 'server/areas', 'server/engine', 'server/storage', 'web'],
  'docs/folders.md': ['server', 'server/areas', 'server/engine', 'server/storage', 'server/tables', 'web'],
};

for (const [page, places] of Object.entries(trees))
  test(`the tree of ${page} names all folders`, () => {
    const tree = treeOf(page);
    for (const place of places)
      for (const name of foldersIn(place)) {
        const isNamed = new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(tree);
        assert.ok(isNamed, `${place}/${name}`);
      }
  });
