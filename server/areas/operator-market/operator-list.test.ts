import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf, packageOf, tgz } from '../../../tests/support/operator-packages.ts';
import { startApp } from '../../../tests/support/server.ts';

type Listed = { data: { content: { id: string; metrics: { samplesPerSecond: number } | null }[] } };
type Facets = { data: Record<string, { value: string; count: number }[]> };

test('published operators are found by words, filtered and sorted', async (t) => {
  const { api } = await startApp(t);
  for (const changes of [
    { id: 'link-hider', title: 'Hide links', summary: 'Takes addresses out.', author: 'Ann', categories: ['links'] },
    { id: 'url-counter', title: 'Count', summary: 'Counts each URL.', author: 'Ben', categories: ['links', 'counts'] },
    { id: 'rewriter', title: 'Rewrite', summary: 'By a model.', capabilities: ['models'], models: ['small'] },
  ]) {
    const { status, body } = await api('POST', '/operator-market/operators', formOf(tgz(packageOf(changes))));
    assert.equal(status, 201, JSON.stringify(body));
  }
  const list = async (query: string): Promise<string[]> => {
    const { status, body } = await api<Listed>('GET', `/operator-market/operators?source=PUBLISHED&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.content.map(({ id }) => id);
  };
  const words = (text: string): string => `words=${encodeURIComponent(text)}`;
  assert.deepEqual(await list(words('link|url')), ['link-hider', 'url-counter'], 'a name counts more than a summary');
  assert.deepEqual(await list(words('url|link')), ['url-counter', 'link-hider'], 'the word itself counts more');
  assert.deepEqual(await list(words('LINKS,hide|mask')), ['link-hider']);
  assert.deepEqual(await list(words('ounts')), [], 'words begin with it');
  assert.deepEqual(await list(words('zebra,ann')), ['link-hider'], 'most of the words will do');
  assert.deepEqual(await list(words('zebra,yak,ann')), [], 'less than half will not');
  assert.deepEqual(await list(`${words('link|url')}&sort=name,asc`), ['url-counter', 'link-hider']);
  assert.deepEqual(await list(words(' , |,')), ['url-counter', 'link-hider', 'rewriter'], 'no words find all');
  assert.deepEqual(await list('author=Ben'), ['url-counter']);
  assert.deepEqual(await list('category=links'), ['url-counter', 'link-hider']);
  assert.deepEqual(await list('capability=models'), ['rewriter']);
  assert.deepEqual(await list('capability=none'), ['url-counter', 'link-hider']);
  assert.deepEqual(await list('verified=true'), []);
  assert.equal((await list('verified=false')).length, 3);
  const { body } = await api<Listed>('GET', '/operator-market/operators?source=PUBLISHED&sort=speed,desc');
  const speeds = body.data.content.map(({ metrics }) => metrics?.samplesPerSecond ?? 0);
  assert.deepEqual(
    speeds,
    speeds.toSorted((one, other) => other - one),
  );

  const { data } = (await api<Facets>('GET', '/operator-market/facets?source=PUBLISHED')).body;
  assert.deepEqual(data['authors']?.map(({ value }) => value).toSorted(), ['Ann', 'Ben', 'Erin']);
  assert.deepEqual(data['categories']?.[0], { value: 'links', count: 2 });
  assert.deepEqual(data['capabilities'], [{ value: 'models', count: 1 }]);
});
