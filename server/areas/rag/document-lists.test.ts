import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { createKnowledgeBase, type TestDocument } from '../../../tests/support/knowledge-bases.ts';
import { startApp } from '../../../tests/support/server.ts';

type Same = { sameContentAs: { id: string; name: string } | null };
type Listed<T> = { data: { content: T[] } };

forAnyDatabase(
  'documents are sorted and paged, name those with the same bytes, and many are deleted at once',
  async (t, _open, database) => {
    const service = await startApp(t, { database, settings: { TILTH_RAG_MAX_DOCUMENT_MB: '1' } });
    const base = await createKnowledgeBase(service, { name: 'Sorted', chunking: { size: 60, overlap: 0 } });
    const other = await createKnowledgeBase(service);
    const field = 'A field is sown. '.repeat(20);
    await base.add({ 'b.txt': field, 'c.txt': 'Hay is dried grass.', 'broken.pdf': '%PDF-1.7 nothing' });
    await other.add({ 'hay elsewhere.txt': 'Hay is dried grass.' });
    const copies = (await base.add({ 'a.txt': 'Hay is dried grass.', 'd.txt': 'Hay is dried straw.' })) as (Same &
      TestDocument)[];
    const all = (await base.settled()) as (Same & TestDocument)[];
    await other.settled();
    const idOf = (name: string): string => all.find((one) => one.name === name)?.id ?? '';

    // Files of equal size but other content, and files of other knowledge bases, do not count.
    const same = { 'a.txt': { id: idOf('c.txt'), name: 'c.txt' }, 'd.txt': null };
    const sameOf = (documents: readonly (Same & TestDocument)[]): object =>
      Object.fromEntries(documents.map(({ name, sameContentAs }) => [name, sameContentAs]));
    assert.deepEqual(sameOf(copies), same, 'it is known when they have come');
    assert.deepEqual(sameOf(all), { 'b.txt': null, 'c.txt': null, 'broken.pdf': null, ...same });

    const list = async (query: string): Promise<string[]> => {
      const { status, body } = await service.api<Listed<TestDocument>>('GET', `${base.path}/documents?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.content.map(({ name }) => name);
    };
    const byName = ['a.txt', 'b.txt', 'broken.pdf', 'c.txt', 'd.txt'];
    assert.deepEqual(await list('sort=name,asc'), byName);
    assert.deepEqual(await list('sort=name,desc'), byName.toReversed());
    assert.deepEqual(await list('sort=fileSize,desc&size=1'), ['b.txt']);
    assert.deepEqual(await list('sort=chunkCount,desc&size=1'), ['b.txt']);
    assert.deepEqual(await list('sort=status,asc&size=1'), ['broken.pdf']);
    assert.deepEqual(await list('sort=createdAt,desc'), await list(''), 'newest first by itself');
    assert.deepEqual((await list('sort=createdAt,asc')).toReversed(), await list(''));
    // Documents of equal size, too, keep a fixed order across pages.
    const paged: string[] = [];
    for (let page = 0; page < 5; page++) paged.push(...(await list(`sort=fileSize,asc&size=1&page=${page}`)));
    assert.deepEqual(paged, await list('sort=fileSize,asc'));
    assert.equal(new Set(paged).size, 5);
    assert.equal((await service.api('GET', `${base.path}/documents?sort=cause,asc`)).status, 400);

    const limits = await service.api<{ data: { documentBytes: number } }>('GET', '/rag/limits');
    assert.equal(limits.body.data.documentBytes, 1 << 20);

    // A run is named after its document.
    type Counts = { in: number; kept: number; dropped: number; failed: number; emitted: number };
    type Run = { taskId: string; taskName: string; within: { id: string; name: string }; counts: Counts };
    const runs = await service.api<Listed<Run>>('GET', '/runs?area=rag&size=100');
    const run = runs.body.data.content.find(({ taskId }) => taskId === idOf('a.txt'));
    assert.deepEqual([run?.taskName, run?.within], ['a.txt', { id: base.id, name: 'Sorted' }]);
    // It counts its document, and the chunks made from it.
    const countsOf = (name: string) => runs.body.data.content.find(({ taskId }) => taskId === idOf(name))?.counts;
    const counted = {
      in: 1,
      kept: 1,
      changed: 0,
      dropped: 0,
      failed: 0,
      emitted: all.find(({ name }) => name === 'b.txt')?.receipt?.chunks ?? 0,
    };
    assert.ok(counted.emitted > 0);
    assert.deepEqual(countsOf('b.txt'), counted);
    assert.deepEqual(countsOf('broken.pdf'), { ...counted, kept: 0, failed: 1, emitted: 0 });

    const [elsewhere] = (await other.settled()).map(({ id }) => id);
    const documentIds = [idOf('a.txt'), idOf('b.txt'), idOf('b.txt'), elsewhere ?? ''];
    const deleted = await service.api<{ data: object }>('POST', `${base.path}/documents/batch-delete`, { documentIds });
    assert.deepEqual(deleted.body.data, { deleted: 2, notFound: [elsewhere] });
    assert.deepEqual(await list('sort=name,asc'), ['broken.pdf', 'c.txt', 'd.txt']);
    const hits = await base.search({ query: 'field hay', topK: 50 });
    assert.deepEqual(new Set(hits.map(({ documentName }) => documentName)), new Set(['c.txt', 'd.txt']));
    assert.equal((await other.settled()).length, 1);
  },
);
