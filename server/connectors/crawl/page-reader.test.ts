// Pages are read as browsers read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPageReader } from './page-reader.ts';

const prose =
  'The field was ploughed in spring, and the rain came late that year, which nobody had expected at all. '.repeat(5);

test('pages are read as browsers read them', async (t) => {
  const reader = createPageReader();
  t.after(reader.end);
  const read = async (bytes: Buffer, charset?: string) => {
    const work = { bytes, url: 'http://h/d/p', charset, robotsName: 'tilth', wantsText: true };
    return reader.readPage(work, new AbortController().signal);
  };
  const shouting = await read(
    Buffer.from(`<TITLE>Up &amp; Down</TITLE><META NAME="Robots" CONTENT="NoIndex"><BASE HREF="/b/"><P>${prose}
      <A HREF="q#f" REL="NoFollow">q</A><NOSCRIPT><A HREF="ns">n</A></NOSCRIPT>`),
  );
  assert.deepEqual([shouting.title, shouting.robots], ['Up & Down', ['NoIndex']]);
  assert.deepEqual(shouting.links, [
    { url: 'http://h/b/q', isNofollow: true },
    { url: 'http://h/b/ns', isNofollow: false },
  ]);
  const rich = await read(
    Buffer.from(`<article><p>${prose}</p><table><tr><th>a<th>b<tr><td>1<td>2</table>
      <pre><code class="language-js">a &lt; b</code></pre><p>${prose}</p></article>`),
  );
  assert.match(rich.markdown ?? '', /\| a +\| b +\|\n\| --- \| --- \|\n\| 1 +\| 2 +\|/);
  assert.match(rich.markdown ?? '', /```js\na < b\n```/);
  assert.equal((await read(Buffer.from('Gr\u00fc\u00dfe', 'latin1'), 'iso-8859-1')).markdown, 'Gr\u00fc\u00dfe\n');
  const marked = Buffer.from('\ufeffGr\u00fc\u00dfe');
  assert.equal((await read(marked, 'iso-8859-1')).markdown, 'Gr\u00fc\u00dfe\n', 'a byte order mark comes first');
  assert.equal((await read(Buffer.alloc(0))).markdown, '\n');
});
