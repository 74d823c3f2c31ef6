import assert from 'node:assert/strict';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import type { Page } from '../../kernel/page.ts';
import type { Bookmark } from './schemas/bookmarks.ts';

const shared = sharedApp(import.meta.url);
const at = '/data-management/bookmarks';

shared.forAnyDatabase('a bookmark is created once, listed by name and deleted once', async (_t, { api }) => {
  const create = (name: string) => api<Bookmark & { error?: string }>('POST', at, { name, path: '/datasets/1' });
  const { status, body: second } = await create('second');
  assert.deepEqual([status, second.name, second.path], [201, 'second', '/datasets/1']);
  await create('first');
  const taken = await create('second');
  assert.deepEqual([taken.status, taken.body.error], [409, 'BOOKMARK_ALREADY_EXISTS']);
  const names = async (): Promise<string[]> =>
    (await api<Page<Bookmark>>('GET', `${at}?size=1000`)).body.content.map(({ name }) => name);
  assert.deepEqual(await names(), ['first', 'second']);
  assert.equal((await api('DELETE', `${at}/${second.id}`)).status, 204);
  const gone = await api<{ error: string }>('DELETE', `${at}/${second.id}`);
  assert.deepEqual([gone.status, gone.body.error], [404, 'BOOKMARK_NOT_FOUND']);
  assert.deepEqual(await names(), ['first']);
});
