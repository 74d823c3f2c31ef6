import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

/** Rows of HTML, and the same as Markdown, with `/` between cells. */
const tables: readonly [name: string, html: string, rows: readonly string[]][] = [
  ['a row below a tall cell', '<tr><td rowspan=2>a<td>b<tr><td>c', ['a/b', '/c']],
  ['three rows', '<tr><th rowspan=3>a<th>b<tr><td>c<tr><td>d<tr><td>e<td>f', ['a/b', '/c', '/d', 'e/f']],
  ['a tall cell in the middle', '<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e', ['a/b/c', 'd//e']],
  [
    'two tall cells of different heights',
    '<tr><td rowspan=2>a<td rowspan=3>b<td>c<tr><td>d<tr><td>e<td>f',
    ['a/b/c', '//d', 'e//f'],
  ],
  ['a wide cell', '<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e', ['a//b', 'c/d/e']],
  ['wide and tall', '<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f', ['a//b', '//c', 'd/e/f']],
  ['a span wider than the table', '<tr><td colspan=999>a<tr><td>b<td>c', ['a/', 'b/c']],
  ['a span taller than the table', '<tr><td rowspan=60000>a<td>b<tr><td>c', ['a/b', '/c']],
  [
    'columns in which nothing begins',
    '<tr><td colspan=3>a<td colspan=2>b<tr><td colspan=3>c<td colspan=2>d',
    ['a/b', 'c/d'],
  ],
  ['spans of nothing and less', '<tr><td rowspan=0 colspan=-2>a<td>b<tr><td>c<td>d', ['a/b', 'c/d']],
  ['a tall cell under a wide one', '<tr><td colspan=2>a<tr><td rowspan=2>b<td>c<tr><td>d', ['a/', 'b/c', '/d']],
  ['a head and a body', '<thead><tr><th rowspan=2>a<th>b<tr><th>c</thead><tbody><tr><td>d<td>e', ['a/b', '/c', 'd/e']],
];

for (const [name, html, rows] of tables) {
  const markdown = (inner: readonly string[]): string => {
    const lines = inner.map((row) => `| ${row.split('/').join(' | ')} |`);
    const width = (inner[0] ?? '').split('/').length;
    return [lines[0], `| ${Array(width).fill('---').join(' | ')} |`, ...lines.slice(1)].join('\n');
  };
  test(`a table with ${name}`, async () => {
    const page = await readDocument(Buffer.from(`<html><table>${html}</table></html>`), 'html', documentLimits);
    assert.equal(page.markdown, markdown(rows));
    const mail = `From: a@example.org\nContent-Type: text/html\n\n<table>${html}</table>\n`;
    assert.ok((await readDocument(Buffer.from(mail), 'eml', documentLimits)).markdown.endsWith(markdown(rows)));
  });
}

test('a table in a cell of a table with tall cells', async () => {
  const html =
    '<html><table><tr><td rowspan=2>a<td>b<tr><td><table><tr><td rowspan=2>x<td>y<tr><td>z</table><tr><td>c<td>d</table></html>';
  const { markdown } = await readDocument(Buffer.from(html), 'html', documentLimits);
  assert.equal(markdown, '| a | b |\n| --- | --- |\n|  | x y z |\n| c | d |');
});
