import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Answer } from '../../tests/fakes/file-server.ts';
import { gitTool, startGitServer, type GitServer } from '../../tests/support/git-server.ts';
import { testHttpFaults } from '../../tests/support/source-faults.ts';

testHttpFaults({
  type: 'http-files',
  content: 'twenty bytes and some more',
  configOf: (url) => ({ urls: [url], maxFileBytes: 1_000_000 }),
});

testHttpFaults({
  type: 'http-api',
  content: '{"rows":[{"id":1},{"id":2},{"id":3}]}',
  configOf: (url) => ({ url, recordsPath: 'rows' }),
  changed: { content: '{"data":[{"id":1}]}', cause: /has no list at rows; it has data/ },
});

testHttpFaults({
  type: 'rss',
  content: '<rss><channel><item><title>One</title></item></channel></rss>',
  configOf: (url) => ({ url }),
  changed: { content: '<html><body>We have moved</body></html>', cause: /this is no feed: it begins with <html>/ },
});

testHttpFaults({
  type: 'web-crawl',
  content: '<!doctype html><title>One</title><p>Some text of a page.</p>',
  configOf: (url) => ({ startUrls: [url], maxPageBytes: 1_000_000 }),
});

testHttpFaults({
  type: 'huggingface',
  content: JSON.stringify({ sha: 'a'.repeat(40) }),
  pathOf: (number) => `/api/datasets/org/set${number}/revision/main`,
  configOf: (url) => ({ endpoint: new URL(url).origin, repository: /org\/set\d+/.exec(url)?.[0] }),
  prepare(server, number) {
    const commit = 'a'.repeat(40);
    const list = JSON.stringify([{ type: 'file', path: 'a.txt', size: 1, oid: 'b'.repeat(40) }]);
    server.answers.set(`/api/datasets/org/set${number}/tree/${commit}?recursive=true`, list);
    server.answers.set(`/datasets/org/set${number}/resolve/${commit}/a.txt`, 'a');
  },
  changed: { content: '{"commit":"new"}', cause: /did not name the commit of main/ },
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
    // The repository itself answers at this path for every request.
    pathOf: () => '/it',
    configOf: (url) => ({ url }),
    first: '/info/refs?service=git-upload-pack',
    prepare: (server) => server.answers.set('/it/git-upload-pack', served),
    // Without Git's content type an answer is rejected before any of these faults.
    except: /cut|announced|chunk|endless/,
  });
}
