import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFileServer } from '../../tests/fakes/file-server.ts';
import { sharedCollection } from '../../tests/support/collection.ts';

const shared = sharedCollection();

test('listed files are fetched, and later runs fetch those whose checksum changed', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const list = (...files: [path: string, content: string, checksum: string][]): void => {
    server.answers.set('/catalog', JSON.stringify(files.map(([url, , checksum]) => ({ url, checksum }))));
    for (const [path, content] of files) server.answers.set(path, content);
  };
  list(['/a.txt', 'first', '1'], ['/b.txt', 'second', '1']);
  const id = await bench.task('catalog-files', { url: `${server.url}/catalog` });
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 2], run.error ?? '');
  assert.deepEqual(await bench.contents(id), { 'a.txt': 'first', 'b.txt': 'second' });
  await bench.run(id);
  assert.equal(await bench.version(id), 2, 'nothing changed');
  list(['/a.txt', 'first', '1'], ['/b.txt', 'changed', '2']);
  assert.equal((await bench.run(id)).counts.kept, 1);
  assert.equal((await bench.contents(id))['b.txt'], 'changed');
});

test('what is no catalog fails the run with its reason', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers.set('/catalog', '{"files":[]}');
  const run = await bench.run(await bench.task('catalog-files', { url: `${server.url}/catalog` }));
  assert.deepEqual(
    [run.status, run.error],
    [
      'FAILED',
      `The source could not be read to its end: what ${server.url}/catalog answers is no catalog: a list of objects with url and checksum`,
    ],
  );
});
