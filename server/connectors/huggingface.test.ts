import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sharedCollection } from '../../tests/support/collection.ts';
import { startFileServer, type FileServer } from '../../tests/fakes/file-server.ts';

const shared = sharedCollection();

/** Serves a repository as the Hub does: a revision, a paged list, small files in Git and large ones by SHA-256. */
function serveRepository(server: FileServer, commit: string, files: Readonly<Record<string, string>>): void {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const entries = Object.entries(files).map(([path, content]) => ({
    type: 'file',
    path,
    size: content.length,
    oid: createHash('sha1').update(content).digest('hex'),
    ...(content.startsWith('large') ? { lfs: { oid: sha256(content), size: content.length } } : {}),
  }));
  server.answers.set('/api/datasets/org/set/revision/main', JSON.stringify({ sha: commit }));
  const tree = `/api/datasets/org/set/tree/${commit}?recursive=true`;
  server.answers.set(tree, (_request, response) =>
    response
      .writeHead(200, { link: `<${server.url}${tree}&cursor=2>; rel="next"` })
      .end(JSON.stringify([{ type: 'directory', path: 'data' }, ...entries.slice(0, 1)])),
  );
  server.answers.set(`${tree}&cursor=2`, JSON.stringify(entries.slice(1)));
  for (const [path, content] of Object.entries(files))
    server.answers.set(`/datasets/org/set/resolve/${commit}/${path.replaceAll(' ', '%20')}`, content);
}

test('the files of a commit are fetched, then only those whose hash is new', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const files = { 'README.md': 'readme', 'data/a b.jsonl': 'large {}', 'data/skip.bin': 'x' };
  serveRepository(server, 'a'.repeat(40), files);
  const config = { endpoint: server.url, repository: 'org/set', token: 'hf_secret', exclude: ['*.bin'] };
  const found = await bench.sources.test('huggingface', { config });
  assert.deepEqual([found.ok, found.sample.length, found.message], [true, 2, 'org/set is at commit aaaaaaaaaaaa']);
  const id = await bench.task('huggingface', config);
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept, run.counts.dropped], ['COMPLETED', 2, 1], run.error ?? '');
  assert.deepEqual(await bench.contents(id), { 'README.md': 'readme', 'data/a b.jsonl': 'large {}' });
  assert.ok(server.requests.every(({ headers }) => headers.authorization === 'Bearer hf_secret'));
  assert.equal((await bench.run(id)).counts.kept, 0);
  assert.equal(await bench.version(id), 2);
  serveRepository(server, 'b'.repeat(40), { ...files, 'README.md': 'changed' });
  assert.equal((await bench.run(id)).counts.kept, 1);
  assert.equal((await bench.contents(id))['README.md'], 'changed');
});

test('content that is not what its hash says fails, and so does a wrong token', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  serveRepository(server, 'c'.repeat(40), { 'a.txt': 'a', 'b.txt': 'large b' });
  server.answers.set(`/datasets/org/set/resolve/${'c'.repeat(40)}/b.txt`, 'large x');
  const config = { endpoint: server.url, repository: 'org/set' };
  const run = await bench.run(await bench.task('huggingface', config));
  assert.deepEqual(await bench.verdicts(run), [
    'KEPT a.txt',
    'FAILED b.txt: b.txt came with other content than its SHA-256 says',
  ]);
  server.answers.set('/api/datasets/org/set/revision/main', (_request, response) => response.writeHead(401).end());
  const refused = await bench.sources.test('huggingface', { config });
  assert.match(refused.message, /refuses the credentials/);
});
