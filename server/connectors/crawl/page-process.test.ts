import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createPageReader } from './page-reader.ts';
import type { ReadPage } from './page-process.ts';

async function read(t: TestContext, html: string): Promise<ReadPage> {
  const reader = createPageReader();
  t.after(() => {
    reader.end();
  });
  const work = { bytes: Buffer.from(html), url: 'https://example.org/a/b.html', charset: 'utf-8', robotsName: 'tilth' };
  return reader.readPage({ ...work, wantsText: true }, new AbortController().signal);
}

const paragraph = 'Sow the seeds in rows, a hand apart, and water them each morning until the first leaves show.';

test('menus, side columns and feet are not in the text, links are absolute', async (t) => {
  const page = await read(
    t,
    `<!doctype html><html lang="en"><head><title>Sowing</title><meta name="ROBOTS" content="noarchive"><link rel="next canonical" href="/c.html"></head>
     <body><div class="top-nav"><ul><li><a href="/x">Home</a></li><li><a href="/y">Shop</a></li><li><a href="/z">About us</a></li></ul></div>
     <div id="sidebar"><h3>Popular</h3><p>Ten tools that each gardener needs, and where to buy them today.</p></div>
     <div class="content"><h1>Sowing</h1><p>${paragraph}</p><p>Read <a href="more.html">more</a>.</p><pre><code>a &lt; b</code></pre>
     <table><tr><th>Month</th><th>What</th></tr><tr><td>May</td><td>Beans</td></tr></table></div>
     <ul><li><a href="/1">One more</a></li><li><a href="/2">Another one</a></li></ul><div class="footer">© 2024 Gardeners</div></body></html>`,
  );
  const { markdown, isMain, title, language, canonical, robots, links } = page;
  assert.equal(
    markdown,
    `# Sowing\n\n${paragraph}\n\nRead [more](https://example.org/a/more.html).\n\n\`\`\`\na < b\n\`\`\`\n\n| Month | What |\n| --- | --- |\n| May | Beans |\n`,
  );
  assert.deepEqual([isMain, title, language, canonical], [true, 'Sowing', 'en', 'https://example.org/c.html']);
  assert.deepEqual(robots, ['noarchive']);
  assert.deepEqual(
    links.map(({ url }) => url.slice('https://example.org/'.length)),
    ['c.html', 'x', 'y', 'z', 'a/more.html', '1', '2'],
  );
});

test('a page of menus alone stays whole, and says so', async (t) => {
  const { markdown, isMain } = await read(t, '<title>Map</title><nav><a href="/a">One</a> <a href="/b">Two</a></nav>');
  assert.equal(isMain, false);
  assert.equal(markdown, '# Map\n\n[One](https://example.org/a) [Two](https://example.org/b)\n');
});

test('hidden scripts, fragments and very deep pages are read', async (t) => {
  const page = await read(t, `<p>${paragraph}</p><script>let x = 1;</script><noscript>Enable it</noscript>`);
  assert.equal(page.markdown, `${paragraph}\n`);
  const deep = await read(t, `${'<div>'.repeat(1000)}<p>${paragraph}</p>`);
  assert.equal(deep.title, null);
});
