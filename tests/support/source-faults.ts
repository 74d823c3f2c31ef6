import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakOff, refuse, startFileServer, type Answer, type FileServer } from '../fakes/file-server.ts';
import { openCollection } from './collection.ts';

/** A connector that reads one address. */
export type HttpSource = {
  type: string;
  /** What the address has when all is well: anything of more than 20 bytes. */
  content: string | Answer;
  configOf(url: string): Record<string, unknown>;
  /** What is asked for first, below the address; by default the address itself. */
  first?: string;
  /** Makes the server whole for a connector that asks for more than one address. */
  prepare?(server: FileServer): void;
  /** Faults that the connector has other words for. */
  except?: RegExp;
};

const content = Buffer.alloc(100_000, 'x');

const faults: readonly (readonly [name: string, answer: Answer, cause: RegExp])[] = [
  ['a body that is cut', breakOff(content, 50_000), /closed the connection before its answer was complete/],
  [
    'fewer bytes than announced',
    (_request, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 10), () => response.socket?.end());
    },
    /closed the connection before its answer was complete/,
  ],
  [
    'a chunk that is none',
    (_request, response) => void response.socket?.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    /is no HTTP|closed the connection/,
  ],
  ['no HTTP at all', (_request, response) => void response.socket?.end('220 ftp ready\r\n'), /is no HTTP/],
  [
    'a redirect in a circle',
    (request, response) => void response.writeHead(302, { location: request.url }).end(),
    /redirects more than 5 times/,
  ],
  [
    'a redirect to a private address',
    (_request, response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    /not allowed/,
  ],
  [
    'too many requests without an end',
    refuse(429, { 'retry-after': '1' }),
    /more requests than it takes \(429\), also after 5/,
  ],
  ['a server that fails again and again', refuse(500), /failed \(500\), also after 5 attempts/],
  ['a server that is away', refuse(503), /failed \(503\), also after 5 attempts/],
  ['wrong credentials', refuse(401), /refuses the credentials, or wants some \(401\)/],
];

/** Runs a connector through the faults of HTTP: each fails with its cause and adds nothing, and the run after it brings everything. */
export function testHttpFaults(source: HttpSource): void {
  const { type, content: good, configOf, first = '', prepare, except } = source;
  for (const [name, answer, cause] of faults) {
    if (except?.test(name) === true) continue;
    test(`${type} with ${name} fails with its cause, and brings everything once it is over`, async (t) => {
      const bench = await openCollection(t);
      const server = await startFileServer(t);
      prepare?.(server);
      server.answers.set(`/it${first}`, answer);
      const task = await bench.task(type, configOf(`${server.url}/it`));
      const run = await bench.run(task);
      assert.equal(run.status, 'FAILED');
      assert.match(run.error ?? '', cause);
      const { in: all, kept, dropped, failed } = run.counts;
      assert.deepEqual([all, kept], [kept + dropped + failed, 0]);
      assert.equal(await bench.version(task), 0);
      const { ok } = await bench.sources.test(type, { config: configOf(`${server.url}/it`) });
      if (!/cut|announced/.test(name)) assert.equal(ok, false, 'the test button says it as well');

      server.answers.set(`/it${first}`, good);
      const again = await bench.run(task);
      assert.equal(again.status, 'COMPLETED', again.error ?? '');
      assert.ok(again.counts.kept > 0);
      assert.equal(await bench.version(task), 2);
    });
  }

  test(`${type} over TLS that is none says so`, async (t) => {
    const bench = await openCollection(t);
    const server = await startFileServer(t);
    const url = `${server.url.replace('http:', 'https:')}/it`;
    const run = await bench.run(await bench.task(type, configOf(url)));
    assert.match(run.error ?? '', /the TLS connection to .* failed/);
  });
}
