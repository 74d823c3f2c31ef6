import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileOperations } from '../../server/storage/blobs/index.ts';
import { breakOff, endless, refuse, startFileServer, type Answer, type FileServer } from '../fakes/file-server.ts';
import { openCollection } from './collection.ts';
import { isLongRun } from './long-tests.ts';

/** A connector that reads one address. */
export type HttpSource = {
  type: string;
  /** The content of the address without a fault: anything of more than 20 bytes. */
  content: string | Answer;
  configOf(url: string): Record<string, unknown>;
  /** The address; default: a different one for each number. */
  pathOf?(number: number): string;
  /** Path of the first request, relative to the address; default: the address itself. */
  first?: string;
  /** Faults that the connector reports in other words. */
  except?: RegExp;
  /** Sets up further paths that the connector requests. */
  prepare?(server: FileServer, number: number): void;
  /**
   * Content to which the address may have changed, and the reported cause; undefined if the source accepts anything.
   */
  changed?: { content: string; cause: RegExp };
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
  ['an endless body', endless, /has more than \d+ bytes/],
  ['wrong credentials', refuse(401), /refuses the credentials, or wants some \(401\)/],
];

/**
 * Runs a connector through the faults of HTTP and of this machine: each run must end with its cause and add nothing, and the next
 * run must fetch everything.
 */
export function testHttpFaults(source: HttpSource): void {
  const { type, content: good, configOf, pathOf = (number) => `/it-${number}`, first = '', changed } = source;
  const known = changed === undefined ? faults : [...faults, changedFault(changed)];

  test(`${type} goes through the faults of HTTP`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-faults-'));
    let isFull = false;
    const write: typeof fileOperations.write = (fd, bytes, position) => {
      if (isFull) return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
      return fileOperations.write(fd, bytes, position);
    };
    const bench = await openCollection(t, { directory, blobs: { operations: { ...fileOperations, write } } });
    const server = await startFileServer(t);
    let number = 0;
    /** Creates a task with its own address. */
    async function begin(answer: Answer | string): Promise<{ id: string; config: object; path: string }> {
      number += 1;
      const path = pathOf(number);
      source.prepare?.(server, number);
      server.answers.set(path + first, answer);
      const config = configOf(`${server.url}${path}`);
      return { id: await bench.task(type, config, { name: `${type} ${number}` }), config, path: path + first };
    }

    // All sources use one HTTP client: each is tested with a part of its faults, and each fault with several sources.
    const start = type.length;
    for (const [at, [name, answer, cause]] of known.entries()) {
      if (source.except?.test(name) === true) continue;
      if (!isLongRun && at < faults.length && (at + start) % 2 === 0) continue;
      await t.test(name, async () => {
        const { id, config, path } = await begin(answer);
        const run = await bench.run(id);
        assert.equal(run.status, 'FAILED');
        assert.match(run.error ?? '', cause);
        const { in: all, kept, dropped, failed } = run.counts;
        assert.deepEqual([all, kept], [kept + dropped + failed, 0]);
        assert.equal(await bench.version(id), 0);
        if (!/cut|announced|endless|too many|again and again|away/.test(name)) {
          const { ok } = await bench.sources.test(type, { config: { ...config } });
          assert.equal(ok, false, 'the test button says it as well');
        }
        server.answers.set(path, good);
        const again = await bench.run(id);
        assert.equal(again.status, 'COMPLETED', again.error ?? '');
        assert.ok(again.counts.kept > 0);
        assert.equal(await bench.version(id), 2);
      });
    }

    await t.test('TLS that is none', async () => {
      number += 1;
      const config = configOf(`${server.url.replace('http:', 'https:')}${pathOf(number)}`);
      const run = await bench.run(await bench.task(type, config, { name: `${type} ${number}` }));
      assert.match(run.error ?? '', /the TLS connection to .* failed/);
    });

    await t.test('a full disk', async () => {
      const { id } = await begin(good);
      isFull = true;
      const run = await bench.run(id);
      isFull = false;
      assert.deepEqual([run.status, run.error], ['FAILED', 'The storage is full; free some space and resume the run']);
      const resumed = await bench.run(id, { resume: true });
      assert.equal(resumed.status, 'COMPLETED', resumed.error ?? '');
      assert.ok(resumed.counts.kept > 0 && resumed.counts.failed === 0);
    });

    await t.test('a service that ends meanwhile', async () => {
      const asked = Promise.withResolvers<void>();
      const { id, path } = await begin(() => asked.resolve());
      const begun = await bench.tasks.execute(id, {}, 'erin');
      await asked.promise;
      await bench.stop();
      server.answers.set(path, good);
      const next = await openCollection(t, { directory });
      const run = await next.ended(begun);
      assert.equal(run.status, 'COMPLETED', run.error ?? '');
      assert.ok(run.counts.kept > 0 && run.counts.failed === 0);
      assert.equal(await next.version(id), 2);
      await next.stop();
    });
    await rm(directory, { recursive: true });
  });
}

function changedFault({ content, cause }: NonNullable<HttpSource['changed']>): (typeof faults)[number] {
  return ['an answer of another kind than before', (_request, response) => void response.end(content), cause];
}
