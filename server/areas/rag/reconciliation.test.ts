import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import type { Api } from '../../../tests/support/api.ts';
import { startApp } from '../../../tests/support/server.ts';

type Told = { data: { status: string; hits: unknown[] }; errorCode?: string; error?: string };

test('an index that is missing or unreadable is made again, and searches never answer with a part of it', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-reconcile-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const vectors = join(dataDir, 'vectors');
  let app = await startApp(t, { dataDir });
  const current: Pick<Api, 'api'> = { api: (...call) => app.api(...call) };
  const base = await createKnowledgeBase(current, { chunking: { strategy: 'SENTENCE', size: 40, overlap: 0 } });
  const texts = Array.from({ length: 9 }, (_, document) => [
    `${document}.txt`,
    Array.from({ length: 40 }, (__, at) => `Marker${document} speaks of field ${at}.`).join(' '),
  ]);
  await base.add(Object.fromEntries(texts) as Record<string, string>);
  await base.settled();

  /** Polls until everything is found; each answer is complete or reports that the index is being rebuilt. */
  const findAll = async (): Promise<number> => {
    let refused = 0;
    for (const end = Date.now() + 120_000; ;) {
      const { status, body, headers } = await app.api<Told>('POST', `${base.path}/search`, {
        query: 'marker0 marker1 marker2 marker3 marker4 marker5 marker6 marker7 marker8',
        mode: 'KEYWORD',
        topK: 100,
        filter: {},
      });
      if (status === 200) {
        assert.equal(body.data.hits.length, 100, 'a part of the hits');
        break;
      }
      assert.deepEqual([status, body.errorCode], [503, 'KNOWLEDGE_BASE_INDEX_REBUILDING'], JSON.stringify(body));
      assert.match(body.error ?? '', /\d+ of 360 chunks/);
      assert.equal(headers.get('retry-after'), '2');
      refused += 1;
      assert.ok(Date.now() < end);
    }
    for (let document = 0; document < 9; document += 1)
      assert.equal((await base.search({ query: `marker${document}`, mode: 'KEYWORD', topK: 50 })).length, 40);
    const { body } = await app.api<Told>('GET', base.path);
    assert.equal(body.data.status, 'READY');
    return refused;
  };

  await findAll();
  rmSync(vectors, { recursive: true });
  assert.ok((await findAll()) > 0, 'removed while the service runs');

  const restart = async (damage: () => void): Promise<void> => {
    await app.close();
    damage();
    app = await startApp(t, { dataDir });
  };
  await restart(() => {
    rmSync(vectors, { recursive: true });
    // While this file is in the way, no index can be made.
    writeFileSync(vectors, '');
  });
  assert.equal((await app.api<Told>('GET', base.path)).body.data.status, 'BUILDING');
  const { status } = await app.api('POST', `${base.path}/search`, { query: 'marker0' });
  assert.equal(status, 503);
  rmSync(vectors);
  await findAll();

  await restart(() => {
    const words = readdirSync(vectors, { recursive: true, encoding: 'utf8' }).filter((path) => /tokens/.test(path));
    assert.ok(words.length > 0);
    for (const path of words) rmSync(join(vectors, path));
  });
  await findAll();
});
