import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endless, startFileServer, type Answer } from '../../tests/fakes/file-server.ts';
import { openCollection } from '../../tests/support/collection.ts';
import { gitTool, startGitServer, type GitServer } from '../../tests/support/git-server.ts';
import { testHttpFaults } from '../../tests/support/source-faults.ts';

testHttpFaults({ type: 'http-files', content: 'twenty bytes and some more', configOf: (url) => ({ urls: [url] }) });
testHttpFaults({ type: 'http-api', content: '[{"id":1},{"id":2},{"id":3}]', configOf: (url) => ({ url }) });
testHttpFaults({
  type: 'rss',
  content: '<rss><channel><item><title>One</title></item></channel></rss>',
  configOf: (url) => ({ url }),
});
if (gitTool.path !== undefined) {
  let repository: GitServer | undefined;
  const ends: (() => Promise<void>)[] = [];
  const served: Answer = (request, response) => repository?.answer(request, response);
  before(async () => {
    repository = await startGitServer({ after: (end) => void ends.push(end) }, { git: gitTool.path ?? '' });
    await writeFile(join(repository.folder, 'a.txt'), 'a');
    repository.commit();
  });
  after(async () => {
    for (const end of ends) await end();
  });
  testHttpFaults({
    type: 'git',
    content: served,
    configOf: (url) => ({ url }),
    first: '/info/refs?service=git-upload-pack',
    prepare: (server) => server.answers.set('/it/git-upload-pack', served),
    // An answer without the type of Git's is no repository, whatever comes of it.
    except: /cut|announced|chunk/,
  });
}

test('a body without an end stops at the largest file that is allowed', async (t) => {
  const bench = await openCollection(t);
  const server = await startFileServer(t);
  server.answers.set('/endless', endless);
  const task = await bench.task('http-files', { urls: [`${server.url}/endless`], maxFileBytes: 1_000_000 });
  const run = await bench.run(task);
  assert.equal(run.status, 'FAILED');
  assert.match(run.error ?? '', /has more than 1000000 bytes/);
});
