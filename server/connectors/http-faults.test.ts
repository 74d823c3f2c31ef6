import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endless, startFileServer } from '../../tests/fakes/file-server.ts';
import { openCollection } from '../../tests/support/collection.ts';
import { testHttpFaults } from '../../tests/support/source-faults.ts';

testHttpFaults({ type: 'http-files', content: 'twenty bytes and some more', configOf: (url) => ({ urls: [url] }) });
testHttpFaults({ type: 'http-api', content: '[{"id":1},{"id":2},{"id":3}]', configOf: (url) => ({ url }) });
testHttpFaults({
  type: 'rss',
  content: '<rss><channel><item><title>One</title></item></channel></rss>',
  configOf: (url) => ({ url }),
});

test('a body without an end stops at the largest file that is allowed', async (t) => {
  const bench = await openCollection(t);
  const server = await startFileServer(t);
  server.answers.set('/endless', endless);
  const task = await bench.task('http-files', { urls: [`${server.url}/endless`], maxFileBytes: 1_000_000 });
  const run = await bench.run(task);
  assert.equal(run.status, 'FAILED');
  assert.match(run.error ?? '', /has more than 1000000 bytes/);
});
