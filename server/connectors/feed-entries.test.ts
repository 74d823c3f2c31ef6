import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeOf } from './feed-dates.ts';
import { entriesOf, type FeedEntry } from './feed-entries.ts';

const address = 'http://feeds.example/blog/atom.xml';
const atom = (entry: string, attributes = '', more = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}>${more}<entry><id>1</id>${entry}</entry></feed>`;
const rss = (item: string, attributes = ''): string =>
  `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" ${attributes}><channel><link>http://e.org/</link><item><guid>1</guid>${item}</item></channel></rss>`;
const first = (xml: string): Partial<FeedEntry> => entriesOf(xml, address)[0] ?? {};

const xhtml = (inner: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${inner}</div>`;

test('titles and texts are read in each form that feeds have', () => {
  const titles: readonly (readonly [xml: string, title: string | null])[] = [
    [atom(`<title type="xhtml">${xhtml('X <em>Y</em>')}</title>`), 'X Y'],
    [atom(`<title type="xhtml">${xhtml('<p>A</p>\n  <p>B &amp; C</p>')}</title>`), 'A B & C'],
    [atom('<title type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml">P<x:b>q</x:b></x:div></title>'), 'Pq'],
    [atom('<title type="html">A &lt;b&gt;bold&lt;/b&gt;</title>'), 'A <b>bold</b>'],
    [atom('<title type="text">1 &lt; 2 &amp; 3</title>'), '1 < 2 & 3'],
    [atom('<title><![CDATA[R&D <x>]]></title>'), 'R&D <x>'],
    [atom('<title>one<!-- comment --> two</title>'), 'one two'],
    [atom('<title> \n </title>'), null],
    [atom('<title/>'), null],
    [rss('<title>Naked <b>markup</b> here</title>'), 'Naked markup here'],
    [rss('<title>a <![CDATA[<i>]]> b</title>'), 'a <i> b'],
    [rss('<title>&quot;caf&eacute;&quot; &#x1F600;</title>'), '"café" 😀'],
  ];
  for (const [xml, title] of titles) assert.equal(first(xml).title, title, xml);
  const texts: readonly (readonly [xml: string, summary: string | null, content: string | null])[] = [
    [rss('<description>Hello <b>bold</b> and <br/> more</description>'), 'Hello <b>bold</b> and <br/> more', null],
    [
      rss('<description>a &amp; b <a href="x?a=1&amp;b=2">l</a></description>'),
      'a &amp; b <a href="x?a=1&amp;b=2">l</a>',
      null,
    ],
    [rss('<description>&lt;p&gt;x &amp;amp; y&lt;/p&gt;</description>'), '<p>x &amp; y</p>', null],
    [
      rss('<c:encoded xmlns:c="http://purl.org/rss/1.0/modules/content/"><![CDATA[<p>C</p>]]></c:encoded>'),
      null,
      '<p>C</p>',
    ],
    [atom(`<content type="xhtml">${xhtml('C <b>b</b>')}</content>`), null, xhtml('C <b>b</b>')],
    [atom('<content type="html">&lt;p&gt;H&lt;/p&gt;</content>'), null, '<p>H</p>'],
    [atom('<summary type="text">1 &lt; 2</summary>'), '1 < 2', null],
    [atom(`<summary type="xhtml">${xhtml('1 &lt; 2')}</summary>`), xhtml('1 &lt; 2'), null],
  ];
  for (const [xml, summary, content] of texts)
    assert.deepEqual([first(xml).summary, first(xml).content], [summary, content], xml);
});

test('links are resolved against xml:base, and else the address of the feed', () => {
  const links: readonly (readonly [xml: string, link: string | null])[] = [
    [atom('<link href="rel/page"/>', 'xml:base="http://base.org/dir/"'), 'http://base.org/dir/rel/page'],
    [atom('<link href="/page" xml:base="http://own.org/x/"/>', 'xml:base="http://base.org/"'), 'http://own.org/page'],
    [atom('<link href="p" xml:base="sub/"/>', 'xml:base="http://base.org/dir/"'), 'http://base.org/dir/sub/p'],
    [atom('<link href="p"/>', 'xml:base="/dir/"'), 'http://feeds.example/dir/p'],
    [atom('<link href="2026/post"/>'), 'http://feeds.example/blog/2026/post'],
    [atom('<link href="?p=1"/>'), 'http://feeds.example/blog/atom.xml?p=1'],
    [atom('<link href="//other.org/x"/>'), 'http://other.org/x'],
    [atom('<link rel="self" href="s"/><link rel="alternate" href="a"/>'), 'http://feeds.example/blog/a'],
    [atom('<link href="urn:isbn:1"/>'), 'urn:isbn:1'],
    [atom('<link href="http://h/%zz x"/>'), 'http://h/%zz x'],
    [rss('<link>/a/b</link>'), 'http://feeds.example/a/b'],
    [rss('<link>\n  http://h/x\n</link>'), 'http://h/x'],
    [rss('<link>c</link>', 'xml:base="http://base.org/"'), 'http://base.org/c'],
    [rss('<atom:link href="/from-atom"/>'), 'http://feeds.example/from-atom'],
    [rss(''), null],
  ];
  for (const [xml, link] of links) assert.equal(first(xml).link, link, xml);
});

test('names are those of their namespaces, whatever the prefix', () => {
  const one = (xml: string): unknown => [entriesOf(xml, address).length, first(xml).id, first(xml).title];
  const wanted = [1, '1', 'x'];
  const feeds = [
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>T</a:title><a:entry><a:id>1</a:id><a:title>x</a:title></a:entry></a:feed>',
    '<feed><entry><id>1</id><title>x</title></entry></feed>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><m:title xmlns:m="http://search.yahoo.com/mrss/">no</m:title><title>x</title></entry></feed>',
    '<feed xmlns="http://purl.org/atom/ns#" version="0.3"><entry><id>1</id><title mode="escaped">x</title></entry></feed>',
    '<a-b.c:feed xmlns:a-b.c="http://www.w3.org/2005/Atom"><a-b.c:entry><a-b.c:id>1</a-b.c:id><a-b.c:title>x</a-b.c:title></a-b.c:entry></a-b.c:feed >',
    '<rss><channel><item><guid>1</guid><media:title>no</media:title><title>x</title></item></channel></rss>',
    '<r:rss xmlns:r="http://backend.userland.com/rss2"><r:channel><r:item><r:guid>1</r:guid><r:title>x</r:title></r:item></r:channel></r:rss>',
    '<rss xmlns="http://backend.userland.com/rss2"><channel><item><guid>1</guid><title>x</title></item></channel></rss><!-- end -->',
    '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel/><item r:about="1"><link>1</link><title>x</title></item></r:RDF>',
    '<rdf:RDF><item rdf:about="1"><guid>1</guid><title>x</title></item></rdf:RDF>',
    '<?xml version="1.0"?><!DOCTYPE rss><rss><item><guid>1</guid><title>x</title></item></rss>',
  ];
  for (const xml of feeds) {
    const [count, id, title] = one(xml) as [number, string, string];
    assert.deepEqual([count, id.replace('http://feeds.example/blog/', ''), title], wanted, xml);
  }
  assert.throws(() => entriesOf('<a:html xmlns:a="x"></a:html>', address), /it begins with <a:html>/);
});

test('all authors and enclosures are kept', () => {
  const people = '<author><name>Ann</name></author><author><email>b@x.org</email></author>';
  assert.deepEqual(first(atom(people)).authors, ['Ann', 'b@x.org']);
  assert.deepEqual(
    [first(atom('', '', people)).author, first(atom('', '', people)).authors],
    ['Ann', ['Ann', 'b@x.org']],
  );
  assert.deepEqual(first(atom('<source><author><name>S</name></author></source>', '', people)).authors, ['S']);
  const creators =
    '<author>a@x.org (A)</author><dc:creator>Bo</dc:creator><dc:creator>Cy</dc:creator><dc:creator>Bo</dc:creator>';
  assert.deepEqual(first(rss(creators)).authors, ['a@x.org (A)', 'Bo', 'Cy']);
  assert.deepEqual([first(rss('')).author, first(rss('')).authors], [null, []]);
  const files: readonly (readonly [xml: string, enclosures: FeedEntry['enclosures']])[] = [
    [
      rss('<enclosure url="/a.mp3" type="audio/mpeg" length="123"/>'),
      [{ url: 'http://feeds.example/a.mp3', type: 'audio/mpeg', sizeBytes: 123 }],
    ],
    [
      rss('<enclosure url="http://h/a"/><enclosure url="http://h/b" length="unknown"/><enclosure url="http://h/a"/>'),
      [
        { url: 'http://h/a', type: null, sizeBytes: null },
        { url: 'http://h/b', type: null, sizeBytes: null },
      ],
    ],
    [
      atom(
        '<link href="p"/><link rel="enclosure" href="x.pdf" type="application/pdf" length="9"/>',
        'xml:base="http://b.org/"',
      ),
      [{ url: 'http://b.org/x.pdf', type: 'application/pdf', sizeBytes: 9 }],
    ],
    [
      rss(
        '<media:group><media:content url="http://h/v" type="video/mp4" fileSize="5"/></media:group>',
        'xmlns:media="http://search.yahoo.com/mrss"',
      ),
      [{ url: 'http://h/v', type: 'video/mp4', sizeBytes: 5 }],
    ],
    [rss('<enclosure/>'), []],
  ];
  for (const [xml, enclosures] of files) assert.deepEqual(first(xml).enclosures, enclosures, xml);
});

test('a date that does not exist, or that no grammar reads, stays as it is', () => {
  for (const text of [
    'Sat, 31 Feb 2024 00:00:00 GMT',
    'Fri, 29 Feb 2025 10:00:00 +0100',
    '31 Apr 2024 00:00 UT',
    'Thu, 31-Jun-24 10:00:00 GMT',
    '2024-02-30',
    '2023-02-29T10:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-10',
    'February 30, 2024',
    '02/30/2024',
    'Mon, 32 Jan 2024 00:00:00 GMT',
    'Mon, 00 Jan 2024 00:00:00 GMT',
    'Mon, 01 Jan 2024 25:00:00 GMT',
    'Mon, 01 Jan 0001 00:00:00 GMT',
    'yesterday',
  ])
    assert.equal(timeOf(text), text);
  for (const [text, iso] of [
    ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
    ['Sat, 31 Jan 26 08:00:00 EST', '2026-01-31T13:00:00.000Z'],
    ['31 Dec 2025 23:30 -0100', '2026-01-01T00:30:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:00:00', '2026-01-31T08:00:00.000Z'],
    ['Sat, 31 Jan 2026 08:00:00', '2026-01-31T08:00:00.000Z'],
    ['2024-02-29T23:59:59.5+14:00', '2024-02-29T09:59:59.500Z'],
    ['Wed Jan 31 10:00:00 2024 GMT', '2024-01-31T10:00:00.000Z'],
  ] as const)
    assert.equal(timeOf(text), iso, text);
  assert.equal(timeOf(null), null);
});
