import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCollection } from '../../tests/support/collection.ts';
import { startFileServer } from '../../tests/fakes/file-server.ts';
import { entriesOf } from './feed-entries.ts';

const shared = sharedCollection();

const item = (id: string, title: string): string =>
  `<item><guid isPermaLink="false">${id}</guid><title>${title}</title><link>http://h/${id}</link>
   <pubDate>Sat, 31 Jan 2026 08:00:00 GMT</pubDate><category>a</category><category>b</category>
   <description><![CDATA[<p>Text &amp; more</p>]]></description></item>`;
const feed = (...items: string[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>${items.join('')}</channel></rss>`;

test('entries of one id are each collected once', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const twins = [item('g', 'One'), item('g', 'Two'), item('h', 'Three'), item('g', 'Two')];
  server.answers.set('/feed', feed(...twins));
  const id = await bench.task('rss', { url: `${server.url}/feed`, fileName: 'twins' });
  assert.equal((await bench.run(id)).counts.kept, 3);
  for (let again = 0; again < 2; again++) assert.equal((await bench.run(id)).counts.kept, 0);
  server.answers.set('/feed', feed(item('g', 'Four'), ...twins.toReversed()));
  assert.equal((await bench.run(id)).counts.kept, 1);
  server.answers.set('/feed', feed(item('h', 'Three, changed')));
  assert.equal((await bench.run(id)).counts.kept, 1);
  server.answers.set('/feed', feed(...twins));
  assert.equal((await bench.run(id)).counts.kept, 1, 'the entry that was changed back');
});

test('entries become rows, and later runs keep only new and changed ones', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers.set('/feed', feed(item('2', 'Second'), item('1', 'First &lt;b&gt;')));
  const id = await bench.task('rss', { url: `${server.url}/feed`, fileName: 'news' });
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 2], run.error ?? '');
  const rows = ((await bench.contents(id))['news/part-000001.jsonl'] ?? '').trim().split('\n');
  assert.deepEqual(JSON.parse(rows[1] ?? ''), {
    id: '1',
    title: 'First <b>',
    link: 'http://h/1',
    author: null,
    publishedAt: '2026-01-31T08:00:00.000Z',
    updatedAt: null,
    summary: '<p>Text &amp; more</p>',
    content: null,
    categories: ['a', 'b'],
    authors: [],
    enclosures: [],
  });
  assert.equal((await bench.run(id)).counts.in, 0);
  assert.equal(await bench.version(id), 2);
  server.answers.set('/feed', feed(item('3', 'Third'), item('2', 'Second, changed')));
  assert.equal((await bench.run(id)).counts.kept, 2);
  server.answers.set('/feed', feed(item('1', 'First &lt;b&gt;')));
  assert.equal((await bench.run(id)).counts.kept, 0, 'an old entry that comes back is known');
  server.answers.set('/feed', '<html><body>no feed</body></html>');
  const broken = await bench.run(id);
  assert.equal(broken.status, 'FAILED');
  assert.match(broken.error ?? '', /this is no feed: it begins with <html>/);
  server.answers.set('/feed', '<rss><channel><item>');
  assert.match((await bench.run(id)).error ?? '', /the feed ends in the middle/);
});

test('Atom and RSS 1.0 have the same fields', () => {
  const [atom] = entriesOf(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><title type="html">T</title>
    <link rel="self" href="http://h/self"/><link href="http://h/1"/><author><name>Ann</name></author>
    <published>2026-01-31T08:00:00+01:00</published><updated>2026-02-01T00:00:00Z</updated>
    <category term="x"/><summary>S</summary><content type="xhtml"><div>C <b>b</b></div></content></entry></feed>`);
  assert.deepEqual(atom, {
    id: 'urn:1',
    title: 'T',
    link: 'http://h/1',
    author: 'Ann',
    publishedAt: '2026-01-31T07:00:00.000Z',
    updatedAt: '2026-02-01T00:00:00.000Z',
    summary: 'S',
    content: '<div>C <b>b</b></div>',
    categories: ['x'],
    authors: ['Ann'],
    enclosures: [],
  });
  const [rdf] = entriesOf(`<rdf:RDF><channel/><item rdf:about="http://h/1"><title>T</title><dc:creator>Bo</dc:creator>
    <dc:date>2026-01-31</dc:date></item></rdf:RDF>`);
  assert.deepEqual([rdf?.id, rdf?.author, rdf?.publishedAt], ['http://h/1', 'Bo', '2026-01-31T00:00:00.000Z']);
});

test('feeds in other encodings are read by their declaration', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const text =
    '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><title>Gr\u00fc\u00dfe</title></item></channel></rss>';
  server.answers.set('/latin', Buffer.from(text, 'latin1'));
  const { sample } = await bench.sources.test('rss', { config: { url: `${server.url}/latin` } });
  assert.equal(sample[0]?.['title'], 'Gr\u00fc\u00dfe');
});

test('references of HTML become their characters, those of the feed itself stay', () => {
  const [entry] = entriesOf(
    `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY own "x">]><rss version="2.0"><channel><item>
     <guid>1</guid><title>L&apos;h&ocirc;tel &mdash; &#8364;5 &lt;b&gt; &own;</title></item></channel></rss>`,
  );
  assert.equal(entry?.title, "L'hôtel — €5 <b> &own;");
});
