// Reads only the main content of HTML pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

const body = `<body class="page"><header class="site-header"><a href="/">The site</a></header>
  <nav id="menu"><ul><li><a href="/a">Apples</a></li><li><a href="/b">Bees</a></li></ul></nav>
  <main><h1>Disc harrows &amp; more</h1>
    <p>A harrow cuts the <b>roots</b> of weeds, and <a href="https://example.org/x?a=1&amp;b=2">mixes</a> them in. é</p>
    <table><tr><th>a</th><th>b</th></tr><tr><td colspan="1">1 &lt; 2</td><td>3</td></tr></table>
    <pre><code>if (a &lt; b) { }</code></pre>
    <ul class="more"><li><a href="/c">More of this</a></li><li><a href="/d">More of that</a></li></ul>
  </main>
  <aside>Side notes</aside>
  <form><p>Write to us</p></form>
  <footer>© 2026</footer></body>`;
const page = `<!doctype html><html lang="en"><head><title>Harrows</title><script>var a = '<p>no</p>'</script></head>${body}</html>`;

async function read(html: string | Uint8Array, part?: 'MAIN_CONTENT' | 'WHOLE'): ReturnType<typeof readDocument> {
  return readDocument(Buffer.from(html), 'html', documentLimits, part);
}

test('the main content of a page is read, and the receipt tells what is left out', async () => {
  const { markdown, receipt } = await read(page, 'MAIN_CONTENT');
  const whole = await read(page, 'WHOLE');
  assert.equal(receipt.title, 'Harrows');
  assert.equal(receipt.title, whole.receipt.title);
  assert.equal(receipt.tables, 1);
  for (const part of [
    'Disc harrows & more',
    '**roots**',
    '(https://example.org/x?a=1&b=2)',
    '1 < 2',
    'if (a < b)',
    'é',
  ]) {
    assert.ok(markdown.includes(part), `${part} in ${markdown}`);
    assert.ok(whole.markdown.includes(part), `${part} in ${whole.markdown}`);
  }
  for (const part of ['The site', 'Apples', 'More of this', 'Side notes', 'Write to us', '© 2026']) {
    assert.ok(!markdown.includes(part), `${part} in ${markdown}`);
    assert.ok(whole.markdown.includes(part), `${part} in ${whole.markdown}`);
  }
  assert.deepEqual(receipt.warnings.toSorted(), [
    '1 form or notice left out: 11 characters',
    '1 list of links left out: 24 characters',
    '1 menu left out: 10 characters',
    '1 side column left out: 10 characters',
    '2 heads and feet of the page left out: 14 characters',
  ]);
  assert.deepEqual(whole.receipt.warnings, []);
});

test('what is left in is the same Markdown, to the character', async () => {
  const content = /<main>[^]*<\/main>/.exec(page)?.[0].replace(/<ul class="more">[^]*?<\/ul>/, '') ?? '';
  const alone = await read(`<html><head><title>Harrows</title></head><body>${content}</body></html>`);
  assert.equal((await read(page, 'MAIN_CONTENT')).markdown, alone.markdown);
});

test('a page without parts to leave out, or without main content, is read whole', async () => {
  for (const html of [
    '<title>T</title><h1>A heading</h1><p>Only <i>this</i> text.</p>',
    '<nav><a href="/a">Apples</a> <a href="/b">Bees</a></nav>',
  ]) {
    const { markdown, receipt } = await read(html, 'MAIN_CONTENT');
    assert.deepEqual([markdown, receipt.warnings], [(await read(html)).markdown, []]);
  }
});

test('the encoding of a page is found as in whole pages', async () => {
  const text = (charset: string): string =>
    `<meta charset="${charset}"><nav><a href="/">m</a></nav><main><p>Überfluß</p></main>`;
  for (const bytes of [
    Buffer.from(text('windows-1252'), 'latin1'),
    Buffer.from(text('utf-8')),
    Buffer.from(text('ascii')),
    Buffer.from(`\uFEFF${text('utf-8')}`, 'utf16le'),
  ]) {
    assert.equal((await read(bytes, 'MAIN_CONTENT')).markdown.trim(), 'Überfluß');
  }
});

test('other formats are read as ever', async () => {
  const mail = 'From: a@example.org\nSubject: s\nContent-Type: text/html\n\n<nav>in a mail</nav><main>text</main>';
  const { markdown } = await readDocument(Buffer.from(mail), 'eml', documentLimits, 'MAIN_CONTENT');
  assert.match(markdown, /in a mail/);
});
