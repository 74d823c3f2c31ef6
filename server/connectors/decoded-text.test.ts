import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCollection } from '../../tests/support/collection.ts';
import { startFileServer } from '../../tests/fakes/file-server.ts';
import { charsetOf, decodedText } from './decoded-text.ts';

const shared = sharedCollection();
const host = 'h';
const be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const le = (text: string): Buffer => Buffer.from(text, 'utf16le');

test('a text is read in the encoding that it, or its server, names', () => {
  const cases: readonly (readonly [
    bytes: Buffer,
    sent: string | undefined,
    declared: string | undefined,
    text: string,
  ])[] = [
    [Buffer.from('é'), undefined, undefined, 'é'],
    [Buffer.from('\ufeffé'), undefined, undefined, 'é'],
    [Buffer.from('é', 'latin1'), 'iso-8859-1', undefined, 'é'],
    [Buffer.from('é', 'latin1'), undefined, 'ISO-8859-1', 'é'],
    [Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'Shift_JIS', undefined, '日本'],
    [Buffer.from([0xc4, 0xe3]), 'gbk', 'utf-8', '你'],
    [Buffer.from('é', 'latin1'), 'utf-8', 'iso-8859-1', 'é'],
    [Buffer.from('\ufeffé'), 'iso-8859-1', undefined, 'é'],
    [le('\ufeff<a>日'), undefined, 'utf-16', '<a>日'],
    [be('\ufeff<a>日'), undefined, undefined, '<a>日'],
    [le('<a>é'), undefined, undefined, '<a>é'],
    [be('<a>é'), 'utf-16', undefined, '<a>é'],
    [be('[1]'), undefined, undefined, '[1]'],
    [Buffer.from('<a>é'), undefined, 'UTF-16', '<a>é'],
    [Buffer.from('é'), 'no-such-set', undefined, 'é'],
    [Buffer.from('\ufffd'), undefined, undefined, '\ufffd'],
  ];
  for (const [bytes, sent, declared, text] of cases)
    assert.equal(decodedText(bytes, { host, sent, declared }), text, `${bytes.toString('hex')} ${sent} ${declared}`);
  for (const [bytes, sent] of [
    [Buffer.from('é', 'latin1'), undefined],
    [Buffer.from('é', 'latin1'), 'utf-8'],
    [Buffer.from([0xff]), 'gbk'],
    [Buffer.from([0xed, 0xa0, 0x80]), undefined],
    [Buffer.from([0xc0, 0x80]), undefined],
    [Buffer.from('é', 'latin1'), 'no-such-set'],
  ] as const)
    assert.throws(() => decodedText(bytes, { host, sent }), /h sent a text that has bytes which are not/);
});

test('a Content-Type names its charset', () => {
  assert.equal(charsetOf('application/json; charset=iso-8859-1'), 'iso-8859-1');
  assert.equal(charsetOf('text/xml;a=b;CHARSET = "UTF-8"; c=d'), 'UTF-8');
  assert.equal(charsetOf("text/xml; charset='utf-8'"), 'utf-8');
  assert.equal(charsetOf('application/json; x-charset=a'), undefined);
  assert.equal(charsetOf(null), undefined);
});

test('JSON APIs and feeds in other encodings are read as declared, or fail', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const latin = Buffer.from('[{"id":"café"}]', 'latin1');
  server.answers
    .set('/said', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json; charset=iso-8859-1' }).end(latin),
    )
    .set('/unsaid', latin)
    .set(
      '/feed',
      le('\ufeff<?xml version="1.0" encoding="utf-16"?><rss><channel><item><guid>日本</guid></item></channel></rss>'),
    )
    .set('/damaged', Buffer.from('<rss><channel><item><guid>caf\xe9</guid></item></channel></rss>', 'latin1'));
  const said = await bench.task('http-api', { url: `${server.url}/said` });
  await bench.run(said);
  assert.equal((await bench.contents(said))['said.jsonl'], '{"id":"café"}\n');
  const unsaid = await bench.run(await bench.task('http-api', { url: `${server.url}/unsaid` }));
  assert.match(unsaid.error ?? '', /sent a text that has bytes which are not utf-8/);
  const feed = await bench.task('rss', { url: `${server.url}/feed`, fileName: 'feed' });
  await bench.run(feed);
  assert.match((await bench.contents(feed))['feed/part-000001.jsonl'] ?? '', /"id":"日本"/);
  const damaged = await bench.run(await bench.task('rss', { url: `${server.url}/damaged` }));
  assert.match(damaged.error ?? '', /which are not utf-8/);
});
