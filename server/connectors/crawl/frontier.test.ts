import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceSentences } from '../sentences.ts';
import { createFrontier, foundIn, storedLink, type CrawlNote } from './frontier.ts';

const rules = {
  startUrls: ['http://h/'],
  scope: 'HOST' as const,
  maxDepth: 3,
  maxQueryVariants: 10,
  documents: false,
};
const weak = sourceSentences.NOFOLLOW_LINK.reason({ url: 'http://h/' });

test('a stored link keeps its address and the reason why it is not followed', () => {
  for (const found of [{ url: 'http://h/a' }, { url: 'http://h/b', weak }])
    assert.deepEqual(foundIn(JSON.parse(JSON.stringify(storedLink(found)))), found);
});

test('a link that an earlier release stored, without a sentence, has its reason', () => {
  assert.deepEqual(foundIn(['http://h/b', 'nofollow: the link on http://h/ says so']), { url: 'http://h/b', weak });
});

test('a crawl that continues by its notes leaves out what it had left out, for the same reasons', () => {
  const links = [
    { url: 'http://h/a' },
    { url: 'http://h/b', weak },
    { url: 'http://other/' },
    { url: 'http://h/sitemap.xml', isSitemap: true },
  ];
  const before = createFrontier(rules);
  const start = before.next();
  assert.ok(start);
  const note = JSON.parse(JSON.stringify(before.settle(start, { found: links }))) as CrawlNote;
  const after = createFrontier(rules);
  const again = after.next();
  assert.ok(again);
  after.replay(again, note);
  for (;;) {
    const [one, other] = [before.next(), after.next()];
    assert.deepEqual(other, one);
    if (one === undefined || other === undefined) break;
    for (const [frontier, entry] of [
      [before, one],
      [after, other],
    ] as const)
      frontier.forget(entry);
  }
});
