import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainContentOf, readHtml, readXml, textOfHtml, textOfXml } from './index.ts';

const textOf = (page: string): string => textOfHtml(readHtml(page), { tables: 'MARKDOWN' });

function contentOf(page: string): string {
  const { root, skips } = mainContentOf(readHtml(page));
  return textOfHtml(root, { tables: 'MARKDOWN', skips });
}

const texts: readonly [title: string, page: string, text: string][] = [
  ['elements without end tags', '<ul><li>a<li>b<ul><li>c</ul><li>d</ul><p>e<p>f', '- a\n- b\n  - c\n- d\n\ne\n\nf'],
  ['end tags that close nothing', 'a</div></b> b</p>c', 'a b\n\nc'],
  ['wrong nesting', '<b>a<i>b</b>c</i> d', 'abc d'],
  [
    'references in text and attributes',
    '<p class="a&amp;b">&lt;p&gt; &eacute;&#x4E2D; &unknown;</p>',
    '<p> é中 &unknown;',
  ],
  ['the text of a script that writes tags', '<script>document.write("<p>no</p>")</script>yes', 'yes'],
  ['hidden elements', '<p hidden>a</p><p style="display: none">b</p><p style="color:red">c</p>', 'c'],
  [
    'tables that lay out a page',
    '<table><tr><td><h1>T</h1></td><td>a</td></tr><tr><td>b</td></tr></table>',
    'T\n\na\nb',
  ],
  ['tables with rows of other lengths', '<table><tr><th>a<tr><td>1<td>2</table>', '| a |  |\n| --- | --- |\n| 1 | 2 |'],
  ['line breaks in words and code', 'one<br>two <pre>\n\n  x\n\ty\n\n</pre>z', 'one\ntwo\n\n  x\n\ty\n\nz'],
  ['unended tags and comments', 'a <b c <!-- d', 'a'],
];
for (const [title, page, text] of texts) {
  test(`the text of a page: ${title}`, () => {
    assert.equal(textOf(page), text);
  });
}

const article = '<p>A paragraph that is long enough to be what the page is about, with words in it.</p>'.repeat(3);
const words = textOf(article);

const contents: readonly [title: string, page: string, isKept: RegExp, isLeftOut: RegExp][] = [
  ['a menu by its class', `<div class="main-menu">Menu</div><div class="x">${article}</div>`, /^A paragraph/, /Menu/],
  ['no menu for a class that only sounds like it', `<div class="menuetto">A dance.</div>${article}`, /A dance\./, /^$/],
  [
    'the header of an article, not of a site',
    `<header>Site</header><article><header><h1>Title</h1></header>${article}</article>`,
    /^Title/,
    /Site/,
  ],
  [
    'a list of links in a text',
    `${article}<ul><li>See <a href="/a">this</a>, which explains it at length.</li></ul>`,
    /explains/,
    /^$/,
  ],
  [
    'teasers beside it',
    `<div>${article}</div><div>${'<div class="card"><a href="/x">More about something else</a> soon</div>'.repeat(3)}</div>`,
    /^A paragraph/,
    /More about/,
  ],
  ['a page inside a form keeps what is outside', `<form>Search</form>${article}`, /^A paragraph/, /Search/],
];
for (const [title, page, isKept, isLeftOut] of contents) {
  test(`the main content of a page: ${title}`, () => {
    const found = contentOf(`<body>${page}</body>`);
    assert.ok(found.includes(words));
    assert.match(found, isKept);
    if (isLeftOut.source !== '^$') assert.doesNotMatch(found, isLeftOut);
  });
}

test('a page as deep as it likes is read, and no text of it is lost', () => {
  const depth = 20_000;
  const page = `${'<div>'.repeat(depth)}deep${'</div>'.repeat(depth)}<p>behind</p>`;
  assert.equal(textOf(page), 'deep\n\nbehind');
  assert.equal(contentOf(page), 'deep\n\nbehind');
});

test('XML is read by its own rules: names have case, elements need end tags, references and CDATA are text', () => {
  const textOfAll = (page: string): string => textOfXml(readXml(page), { elements: new Set(), without: new Set() });
  assert.equal(textOfAll('<R><br>a</br><p>b<p>c</p></p><Title/>d</R>'), 'abcd');
  assert.equal(
    textOfAll('<r><a>&lt;&#20013;&unknown;</a><b><![CDATA[<i>]]></b><!-- no --><?pi no?></r>'),
    '<中&unknown;\n<i>',
  );
  assert.equal(textOfAll('<r><a>x</a><a>unended'), 'x\nunended');
  assert.equal(textOfAll(`${'<a>'.repeat(20_000)}deep`), 'deep');
});
