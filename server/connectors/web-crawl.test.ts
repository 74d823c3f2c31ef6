import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { startFileServer, type Answer, type FileServer } from '../../tests/fakes/file-server.ts';

const shared = sharedCollection();

const prose =
  'The field was ploughed in spring, and the rain came late that year, which nobody had expected at all. '.repeat(5);

const pageOf = (title: string, links: readonly string[], head = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav>Menu</nav><article><h2>${title}</h2>
   <p>${title}. ${prose}</p><p>${prose}</p></article><p>${links.map((url) => `<a href="${url}">${url}</a>`).join(' ')}</p></body></html>`;

function html(content: string, headers: Record<string, string> = {}): Answer {
  return (request, response) => {
    const etag = headers['etag'];
    if (etag !== undefined && request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(content);
  };
}

const pagesOf = ({ requests }: FileServer): string[] =>
  requests.map(({ url }) => url).filter((url) => !/robots\.txt|tdmrep|sitemap/.test(url));

const fast = { requestsPerSecond: 1000 };

forAnyDatabase(
  'a site is crawled: each address once, with its reason, and again only what changed',
  async (t, open) => {
    const bench = await openCollection(t, { db: await open() });
    const server = await startFileServer(t);
    const { answers } = server;
    answers.set('/robots.txt', 'User-agent: *\nDisallow: /private\nCrawl-delay: 1\n');
    answers.set('/.well-known/tdmrep.json', '[{"location":"/b*","tdm-reservation":1,"tdm-policy":"http://h/policy"}]');
    const links = ['a', 'b?utm_source=x', 'b', '/private/x', '/pic.png', 'http://other.invalid/x', '/gone', '#top'];
    answers.set('/', html(pageOf('Start', [...links, 'weak" rel="nofollow', 'mailto:a@b'])));
    answers.set('/a', html(pageOf('A', ['/deep', '/twin', '/', '/hidden']), { etag: '"a1"' }));
    answers.set('/b', html(pageOf('B', ['/alias']), { 'x-robots-tag': 'noai' }));
    answers.set('/deep', html(pageOf('Deep', ['/deeper'])));
    answers.set('/twin', html(pageOf('A', ['/deep', '/twin', '/', '/hidden'])));
    answers.set('/alias', html(pageOf('Alias', [], '<link rel="canonical" href="/deep">')));
    answers.set('/hidden', html(pageOf('Hidden', [], '<meta name="robots" content="noindex, nofollow">')));
    const config = { startUrls: [`${server.url}/`], maxDepth: 2, ...fast };
    const id = await bench.task('web-crawl', config);
    const run = await bench.run(id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const verdicts = (await bench.verdicts(run)).map((each) => each.replaceAll(server.url, ''));
    assert.deepEqual(verdicts, [
      'KEPT /',
      'KEPT /a',
      'KEPT /b',
      'DROPPED /private/x: robots.txt disallows it',
      'DROPPED /pic.png: type: .png',
      'DROPPED http://other.invalid/x: other site: other.invalid',
      `FAILED /gone: ${server.host} has nothing at this address (404)`,
      'DROPPED /sitemap.xml: there is no sitemap',
      'KEPT /deep',
      'DROPPED /twin: duplicate: has the content of /a',
      'DROPPED /hidden: noindex: the page is not to be indexed',
      'DROPPED /alias: duplicate: calls /deep its canonical address',
      'DROPPED /deeper: depth: 3 links from a start URL',
      'DROPPED /weak: nofollow: the link on / says so',
    ]);
    assert.equal(run.counts.in, run.counts.kept + run.counts.dropped + run.counts.failed);
    assert.equal(new Set(pagesOf(server)).size, pagesOf(server).length, 'nothing is asked for twice');
    const contents = await bench.contents(id);
    const folder = server.host.replace(':', '_');
    assert.deepEqual(
      Object.keys(contents),
      ['a.md', 'b.md', 'deep.md', 'index.md'].map((name) => `${folder}/${name}`),
    );
    assert.match(contents[`${folder}/a.md`] ?? '', /^# A\n[\s\S]*The field was ploughed/);
    assert.doesNotMatch(contents[`${folder}/a.md`] ?? '', /Menu/);
    const { evidence } = (await bench.items(run)).find(({ name }) => name.endsWith('/b')) ?? {};
    assert.deepEqual(
      [
        evidence?.['status'],
        evidence?.['xRobotsTag'],
        evidence?.['depth'],
        evidence?.['foundOn'],
        evidence?.['tdmrep'],
      ],
      [200, 'noai', 1, `${server.url}/`, { location: '/b*', 'tdm-reservation': 1, 'tdm-policy': 'http://h/policy' }],
    );
    assert.deepEqual(
      Object.entries(evidence?.['robotsTxt'] as object).filter(([name]) => /status|allowed|crawlDelay/.test(name)),
      Object.entries({ status: 200, crawlDelay: 1, allowed: true }),
    );
    assert.match((await bench.logs(run)).join('\n'), /1 page reserves text and data mining/);

    const version = await bench.version(id);
    const second = await bench.run(id);
    assert.deepEqual([second.counts.kept, second.counts.in], [0, run.counts.in], 'an unchanged site gives nothing new');
    assert.equal(await bench.version(id), version);
    answers.set('/deep', html(pageOf('Deep, changed', ['/deeper'])));
    assert.equal((await bench.run(id)).counts.kept, 1);

    const strict = await bench.run(
      await bench.task('web-crawl', { ...config, reserved: 'LEAVE_OUT', format: 'JSONL' }),
    );
    assert.match((await bench.verdicts(strict)).join('\n'), /DROPPED \S+\/b: reserved: text and data mining/);
  },
);

/** A site where every page links to ten new ones. */
function endlessSite(server: FileServer, onPage = (): void => {}): void {
  server.answers.get = (path: string) => {
    if (/robots|tdmrep|sitemap/.test(path)) return undefined;
    onPage();
    return html(
      pageOf(
        path,
        Array.from({ length: 10 }, (_each, index) => `${path.replace(/\/$/, '')}/${index}x`),
      ),
    );
  };
}

test('budgets of pages, bytes and time are never exceeded, and every address that was seen has its reason', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  endlessSite(server);
  const startUrls = [`${server.url}/`, `${server.url}/other`];
  const crawl = async (limits: object) => {
    server.requests.length = 0;
    const run = await bench.run(await bench.task('web-crawl', { startUrls, parallelPerHost: 8, ...fast, ...limits }));
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const { counts } = run;
    assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
    return { run, verdicts: await bench.verdicts(run), logs: (await bench.logs(run)).join('\n') };
  };
  const pages = await crawl({ maxPages: 7 });
  assert.deepEqual([pages.run.counts.kept, pagesOf(server).length], [7, 7]);
  assert.ok(pages.verdicts.some((each) => each.startsWith('DROPPED') && each.endsWith('budget: 7 pages')));
  assert.match(pages.logs, /ended at its budget: \d+ addresses .* \(budget: 7 pages\)/);

  const bytes = await crawl({ maxBytes: 20_000 });
  const sizes = (await bench.items(bytes.run)).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  assert.ok(bytes.run.counts.kept > 2 && sizes <= 20_000, `${bytes.run.counts.kept} pages, ${sizes} bytes`);
  assert.match(bytes.verdicts.join('\n'), /budget: .*20000 (?:bytes|are left)/);

  const time = await crawl({ maxSeconds: 1, maxPages: 100_000, maxDepth: 100 });
  assert.match(time.verdicts.join('\n'), /budget: 1 second$/m);
  const answered = (await bench.items(time.run)).flatMap(
    ({ evidence }) => Date.parse(String(evidence?.['fetchedAt'])) || [],
  );
  assert.ok(Math.max(...answered) - Math.min(...answered) <= 1000 || answered.length === 0);
});

test('a budget of bytes holds for what comes over the wire, counted by the server', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  let sent = 0;
  const page =
    (status: number, type: string, size: number, isAnnounced: boolean): Answer =>
    (_request, response) => {
      const links = Array.from({ length: 40 }, (_link, index) => `<a href="/p${index}">p</a>`).join('');
      const text = `<html><body>${links}${'x'.repeat(size)}`.slice(0, size);
      sent += text.length;
      response.writeHead(status, { 'content-type': type, ...(isAnnounced ? { 'content-length': text.length } : {}) });
      response.write(text.slice(0, size / 2));
      response.end(text.slice(size / 2));
    };
  server.answers.set('/robots.txt', (_request, response) => response.writeHead(404).end());
  for (const [name, status, type, isAnnounced] of [
    ['announced pages', 200, 'text/html', true],
    ['pages of unknown size', 200, 'text/html', false],
    ['missing pages', 404, 'text/html', true],
    ['other files', 200, 'application/x-other', true],
  ] as const)
    for (const parallelPerHost of [1, 8]) {
      for (let index = 0; index < 40; index += 1)
        server.answers.set(`/p${index}`, page(status, type, 3240, isAnnounced));
      server.answers.set('/', page(200, 'text/html', 3240, true));
      sent = 0;
      const limits = { maxBytes: 20_000, parallelPerHost };
      const run = await bench.run(await bench.task('web-crawl', { startUrls: [`${server.url}/`], ...fast, ...limits }));
      assert.equal(run.status, 'COMPLETED', run.error ?? '');
      assert.ok(sent <= 20_000 + 3240 && sent > 10_000, `${name} ×${parallelPerHost}: ${sent} bytes were sent`);
      const sizes = (await bench.items(run)).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
      assert.ok(sizes <= 20_000, `${name}: ${sizes} bytes were kept`);
    }
});

forAnyDatabase('a crawl that is stopped goes on where it was, within what is left of its budget', async (t, open) => {
  const db = await open();
  const bench = await openCollection(t, { db });
  const server = await startFileServer(t);
  const reached = Promise.withResolvers<void>();
  endlessSite(server, () => {
    if (pagesOf(server).length === 15) reached.resolve();
  });
  const id = await bench.task('web-crawl', {
    startUrls: [`${server.url}/`],
    maxPages: 40,
    maxBytes: 10_000_000,
    ...fast,
  });
  const begun = await bench.tasks.execute(id, {}, 'erin');
  await reached.promise;
  await bench.stop();
  const next = await openCollection(t, { db, directory: bench.directory });
  const run = await next.ended(begun);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const asked = pagesOf(server).length;
  assert.ok(asked <= 40 && asked > 30, `${asked} pages were asked for`);
  assert.ok(run.counts.kept <= 40 && run.counts.kept > 25, `${run.counts.kept} pages`);
  const names = (await next.items(run)).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, 'every address has one verdict');
  assert.equal(Object.keys(await next.contents(id)).length, run.counts.kept);
  assert.deepEqual(await db.read.selectFrom('collection_notes').selectAll().execute(), []);
});

test('redirects, sitemaps, documents, traps and robots.txt that fails', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const { answers, url } = server;
  const to =
    (location: string): Answer =>
    (_request, response) =>
      void response.writeHead(301, { location }).end();
  answers.set('/robots.txt', `User-agent: tilth\nAllow: /\nSitemap: ${url}/map.xml.gz\n`);
  answers.set('/map.xml.gz', gzipSync(`<sitemapindex><sitemap><loc>${url}/one.xml</loc></sitemap></sitemapindex>`));
  answers.set(
    '/one.xml',
    `<urlset><url><loc>${url}/listed?a=1&amp;b=2</loc></url><url><loc>${url}/old</loc></url></urlset>`,
  );
  answers.set('/', to('/home'));
  const links = [
    '/old',
    '/away',
    '/file.pdf',
    '/feed',
    '/cal/2099/01',
    '/a/a/a/a/a',
    '/home',
    '/same?b=2&a=1',
    '/same?a=1&b=2',
  ];
  answers.set('/home', html(pageOf('Home', links)));
  answers.set('/old', to('/new'));
  answers.set('/new', html(pageOf('New', [])));
  answers.set('/away', to('http://away.invalid/'));
  answers.set(
    '/file.pdf',
    (_request, response) => void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
  );
  answers.set(
    '/feed',
    (_request, response) => void response.writeHead(200, { 'content-type': 'image/gif' }).end('GIF'),
  );
  answers.set('/same?b=2&a=1', html(pageOf('Same', [])));
  answers.set('/listed?a=1&b=2', html(pageOf('Listed', [])));
  const id = await bench.task('web-crawl', { startUrls: [`${url}/`], documents: true, format: 'HTML', ...fast });
  const run = await bench.run(id);
  const verdicts = (await bench.verdicts(run)).map((each) => each.replaceAll(url, ''));
  assert.deepEqual(verdicts, [
    'KEPT /',
    'KEPT /old',
    'DROPPED /away: leads by a redirect to http://away.invalid/: other site: away.invalid',
    'KEPT /file.pdf',
    'DROPPED /feed: type: image/gif',
    'DROPPED /cal/2099/01: trap: a calendar of the year 2099',
    'DROPPED /a/a/a/a/a: trap: the path repeats itself',
    'KEPT /same?b=2&a=1',
    'DROPPED /map.xml.gz: a sitemap with 1 addresses',
    'DROPPED /one.xml: a sitemap with 2 addresses',
    'KEPT /listed?a=1&b=2',
  ]);
  assert.equal((await bench.contents(id))[`${server.host.replace(':', '_')}/file.pdf`], '%PDF-1.7');

  answers.set('/robots.txt', (_request, response) => void response.writeHead(503).end());
  server.requests.length = 0;
  const refused = await bench.run(id, { fromStart: true });
  assert.equal(refused.status, 'FAILED');
  assert.match(refused.error ?? '', /robots\.txt can not be read, so that nothing may be fetched: .*failed \(503\)/);
  assert.deepEqual(pagesOf(server), []);
});

test('the test button shows the start page, and why there is none', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers.set('/', html(pageOf('Start', ['/a'])));
  const config = { startUrls: [`${server.url}/`] };
  const { ok, message, sample } = await bench.sources.test('web-crawl', { config });
  assert.deepEqual([ok, message], [true, 'The start URL can be crawled; links found: 1']);
  assert.match(String(sample[0]?.['content']), /^# Start/);
  server.answers.set('/robots.txt', 'User-agent: *\nDisallow: /\n');
  const refused = await bench.sources.test('web-crawl', { config });
  assert.deepEqual([refused.ok, refused.sample], [false, []]);
  assert.match(refused.message, /would not be kept: robots\.txt disallows it/);
});

test('a page that unpacks or runs beyond the limit fails, also where its pieces end at the limit', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const packings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    identity: (bytes: Buffer): Buffer => bytes,
  };
  for (const limit of [65_536, 65_537]) {
    const contentOf = (size: number): Buffer => Buffer.from(`<title>${size}</title><p>${prose}`.padEnd(size, '.'));
    for (const [encoding, pack] of Object.entries(packings))
      for (const size of [limit, limit + 1, 3 * limit])
        server.answers.set(`/${encoding}-${size}`, (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding });
          const body = pack(contentOf(size));
          // In two chunks without a length: an uncompressed answer reaches the limit with the first.
          response.write(body.subarray(0, limit), () => response.end(body.subarray(limit)));
        });
    const paths = Object.keys(packings).flatMap((encoding) =>
      [limit, limit + 1, 3 * limit].map((size) => `${server.url}/${encoding}-${size}`),
    );
    const config = { startUrls: paths, maxPageBytes: limit, maxDepth: 0, format: 'HTML', sitemaps: false, ...fast };
    const run = await bench.run(await bench.task('web-crawl', config));
    const verdicts = (await bench.verdicts(run)).map((each) => each.replaceAll(server.url, ''));
    for (const encoding of Object.keys(packings)) {
      const [whole, ...over] = verdicts.filter((each) => each.split(' ')[1]?.startsWith(`/${encoding}-`));
      assert.match(whole ?? '', new RegExp(`^(?:KEPT|DROPPED) /${encoding}-${limit}(?:: duplicate.*)?$`));
      assert.equal(over.length, 2);
      const isPacked = encoding !== 'identity';
      const why = isPacked
        ? `the answer unpacks to more than the ${limit} bytes that are allowed`
        : `more than ${limit} bytes`;
      for (const each of over)
        assert.ok(each.startsWith(`FAILED /${encoding}-`) && each.endsWith(why), `${limit}: ${each}`);
    }
  }
});
