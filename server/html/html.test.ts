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
  [
    'powers, indices and ordinals',
    'x<sup>2</sup>, 2<sup>53</sup>-1, 10<sup>&minus;3</sup>, a<sup>n+1</sup>, 10<sup><i>n</i></sup>, 1<sup>st</sup>, log<sub>10</sub>100, M<sup>me</sup>, text<sup>[1]</sup>',
    'x², 2⁵³-1, 10⁻³, a^(n+1), 10^n, 1st, log₁₀100, Mme, text[1]',
  ],
  [
    'a formula of MathML with its TeX',
    'E = <math><semantics><mrow><mi>m</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle mc^{2}}</annotation></semantics></math> holds.',
    'E = $mc^{2}$ holds.',
  ],
  [
    'a formula of MathML without it',
    '<p>So <math><mi>x</mi><mo>=</mo><mfrac><mrow><mo>-</mo><mi>b</mi></mrow><mn>2</mn></mfrac><msqrt><msup><mi>y</mi><mn>2</mn></msup></msqrt></math>.',
    'So x = (-b)/2√(y^2).',
  ],
  [
    'cells over several rows',
    '<table><tr><td rowspan=2>r<td>1<tr><td>2<tr><td>3<td>4</table>',
    '| r | 1 |\n| --- | --- |\n|  | 2 |\n| 3 | 4 |',
  ],
  [
    'cells over several columns',
    '<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td rowspan=0>3<tr><td>4<td>5</table>',
    '| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 | 5 |',
  ],
  ['items with numbers of their own', '<ol><li>a<li value=7>b<li>c</ol>', '1. a\n7. b\n8. c'],
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
  assert.equal(textOfAll('<p>10<sup>6</sup> of <b>10<superscript>n</superscript></b></p>'), '10⁶ of 10^n');
  assert.equal(textOfAll(`${'<a>'.repeat(20_000)}deep`), 'deep');
});

const story =
  '<h1>The bridge</h1><p>The council decided to rebuild the old bridge.</p><p>The work begins in May, if the weather allows it.</p>';
const told =
  'The bridge\n\nThe council decided to rebuild the old bridge.\n\nThe work begins in May, if the weather allows it.';
const menu = '<nav><a href="/">Home</a> <a href="/b">Blog</a></nav>';

const wrapped: Record<string, string> = {
  'a form, as of ASP.NET': `<body><form id="aspnetForm">${menu}<div>${story}</div></form></body>`,
  'a form beside a header and a footer': `<body><header>${menu}</header><form>${story}</form><footer>© 2024 Example</footer></body>`,
  'a dialog': `<body><div role="dialog"><div role="alert">${story}</div><div role="navigation">Menu</div></div></body>`,
  'an element dialog': `<body><dialog open>${story}</dialog></body>`,
  'a wrapper named sidebar': `<body><div class="sidebar">${story}<div class="menu"><a href="/x">More</a></div></div></body>`,
  'several such wrappers': `<form><div class="popup"><div class="modal widget">${menu}${story}</div></div></form>`,
  'an aside': `<body>${menu}<aside>${story}</aside></body>`,
  'a footer': `<body><div id="footer">${story}</div></body>`,
  'a site header': `<body><div class="banner">${story}</div>${menu}</body>`,
  'a page about social matters': `<body><div class="social-network">${story}</div>${menu}</body>`,
  'a hidden body': `<body style="display:none">${menu}${story}</body>`,
  'a body with the attribute hidden': `<body hidden>${story}</body>`,
  'a hidden wrapper': `<body><div id="app" style="display: none">${story}</div>${menu}</body>`,
};
for (const [name, page] of Object.entries(wrapped))
  test(`the main content of a page within ${name} is not lost`, () => assert.equal(contentOf(page), told));

for (const name of [
  'has-sidebar',
  'with_sidebar',
  'sidebar-right',
  'penci_sidebar',
  'site-sidebar layout',
  'page-nav-on',
])
  test(`a page with a class such as ${name} keeps its article, however long its notices are`, () => {
    const notice = `<div class="cookie-text">${'We use cookies to make this site better. '.repeat(4)}</div>`;
    const article = `<article class="post">${story}</article>`;
    const page = `<body>${menu}${notice}<div class="${name}"><div id="main">${article}</div><div class="sidebar">Side</div></div></body>`;
    assert.equal(contentOf(page), told);
    const teasers = '<article class="post"><p>Ten reasons why speed matters.</p></article>'.repeat(3);
    assert.equal(contentOf(`<body><main>${story}</main><div class="related">${teasers}</div></body>`), told);
  });

test('a page of comments, and one of links in a form, keep them', () => {
  const comments = ['A good bridge, I think.', 'It is not, and it never was one.', 'Agreed.'];
  const page = `<div id="comments">${comments.map((one) => `<div class="comment">${one}</div>`).join('')}</div>`;
  assert.equal(contentOf(`<body>${page}<div class="footer">©</div></body>`), comments.join('\n'));
  const links = '<li><a href="/a">The old bridge</a></li><li><a href="/b">The new one</a></li>';
  assert.equal(contentOf(`<body><form><ul>${links}</ul></form></body>`), '- The old bridge\n- The new one');
});

test('rules are relaxed only for a page that they empty', () => {
  const levelOf = (page: string): string => mainContentOf(readHtml(page)).level;
  assert.equal(levelOf(`<body>${menu}<main>${story}</main></body>`), 'RULES');
  const comments = '<p>A comment that is much longer than what it is about.</p>'.repeat(60);
  const discussed = `<body><div class="article">${story}</div><div id="comments">${comments}</div></body>`;
  assert.deepEqual([levelOf(discussed), contentOf(discussed)], ['RULES', told], 'the page names its article');
  assert.equal(levelOf('<body><select><option>one</select></body>'), 'RULES');
  assert.equal(levelOf('<body></body>'), 'RULES');
  assert.equal(levelOf(`<body><form>${story}</form></body>`), 'WRAPPERS');
  const scattered = Array.from({ length: 9 }, (_, at) => `<div class="widget">Part ${at} of the page.</div>`).join('');
  assert.equal(levelOf(`<body>${scattered}</body>`), 'ELEMENTS');
});
