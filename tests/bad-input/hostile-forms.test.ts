// Runs in a process of its own: it measures how long calls hold the event loop.
// Forms, addresses and headers: what they may hold is looked at in no more time than a JSON body's.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { isLongRun } from '../support/long-tests.ts';
import { measureHold, measureParsing } from '../support/loop-hold.ts';
import { withoutReferences } from '../support/schema-references.ts';
import { startApp, type RunningApp } from '../support/server.ts';

const allowedMs = Math.max(50, 10 * measureParsing());
const attempts = 4;

const boundary = 'hostile';

function form(parts: readonly (readonly [header: string, value: string])[]): Buffer {
  const text = parts.map(
    ([header, value]) => `--${boundary}\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${text.join('')}--${boundary}--\r\n`, 'latin1');
}

type Call = { method: string; path: string; headers?: Record<string, string>; body?: Buffer };

/** A call over its own connection, as clients make it: bytes arrive in pieces. */
function send(service: RunningApp, { method, path, headers = {}, body }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = { authorization: `Bearer ${service.token}`, ...headers };
    const call = request(service.url + path, { method, agent: false, headers: sent }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    // A refusal may come while the rest of a form is still being sent.
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(0);
      else reject(error);
    });
    call.end(body);
  });
}

async function isQuick(service: RunningApp, what: string, call: Call): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && shortest > allowedMs; attempt++) {
    const held = await measureHold(async () => {
      const status = await send(service, call);
      assert.ok(status < 500, `${what} → ${status}`);
    });
    shortest = Math.min(shortest, held);
  }
  assert.ok(shortest <= allowedMs, `${what}: the loop was held for ${shortest} ms`);
}

const texts: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => 'x'.repeat(size),
  slashes: (size) => 'a/'.repeat(size / 2),
  dots: (size) => '../'.repeat(size / 3),
  spaces: (size) => ' '.repeat(size),
  digits: (size) => '1'.repeat(size),
  commas: (size) => 'a,'.repeat(size / 2),
  'percent signs': (size) => '%41'.repeat(size / 3),
  'badly encoded percent signs': (size) => '%zz'.repeat(size / 3),
  quotes: (size) => String.raw`\"`.repeat(size / 2),
  ampersands: (size) => 'a&'.repeat(size / 2),
  'one parameter': (size) => 'a=b&'.repeat(size / 4),
};

/**
 * The texts to try at one place. How long a text blocks the loop depends on its parsing, which is the same everywhere, and on what is done
 * with the place. Each place gets a few, starting at a different one, so that each text is tried at many places.
 */
function textsFor(place: number): [kind: string, make: (size: number) => string][] {
  const all = Object.entries(texts);
  return isLongRun ? all : all.filter((_, index) => (index + place) % 5 === 0);
}

test('no field of a form holds the event loop', async (t) => {
  const service = await startApp(t);
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd',
    type: 'TEXT',
  });
  const files = `/api/v1/data-management/datasets/${dataset.id}/files/upload`;
  const announcement = { totalFileNum: 9, totalSize: 99 };
  const { body: reqId } = await service.api<string>('POST', files.replace('/api/v1', '') + '/pre-upload', announcement);
  const document = service.app.swagger() as {
    paths?: Record<string, Record<string, { requestBody?: { content?: Record<string, { schema?: object }> } }>>;
  };
  const forms = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content?.['multipart/form-data']?.schema;
      const url = path.replace('{datasetId}', dataset.id).replace('{reqId}', reqId);
      return schema === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              path: url,
              fields: Object.keys(withoutReferences(document, schema)['properties'] ?? {}),
            },
          ];
    }),
  );
  assert.ok(forms.length >= 3 && forms.every(({ fields }) => fields.length > 0), JSON.stringify(forms));
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const right: Readonly<Record<string, string>> = {
    reqId,
    fileNo: '1',
    chunkNo: '1',
    totalChunkNum: '1',
  };

  for (const { method, path, fields } of forms) {
    await t.test(`${method} ${path}`, async () => {
      const call = (parts: readonly (readonly [string, string])[]): Call => ({
        method,
        path,
        headers,
        body: form(parts),
      });
      const others = (without: string) =>
        fields
          .filter((name) => name !== without && name in right)
          .map((name) => [`name="${name}"`, right[name] ?? ''] as const);
      const file = ['name="file"; filename="a"', 'bytes'] as const;
      for (const [place, name] of [...fields, 'unknown'].entries())
        for (const [kind, make] of textsFor(place))
          await isQuick(
            service,
            `${name}: ${kind}`,
            call([...others(name), [`name="${name}"`, make(1_000_000)], file]),
          );
      for (const [kind, make] of Object.entries(texts)) {
        await isQuick(
          service,
          `name of a file: ${kind}`,
          call([...others(''), [`name="file"; filename="${make(15_000)}"`, 'x']]),
        );
        await isQuick(service, `header of a part: ${kind}`, call([[`name="file"; ${make(15_000)}`, 'x']]));
      }
      const many = Array.from({ length: 20_000 }, (_, index) => [`name="f${index}"`, 'x'] as const);
      await isQuick(service, 'many fields', call([...many, file]));
      await isQuick(
        service,
        'one field many times',
        call([...many.map(() => ['name="fileName"', 'x'] as const), file]),
      );
    });
  }
});

test('no address and no header holds the event loop', async (t) => {
  const service = await startApp(t);
  const { paths = {} } = service.app.swagger() as {
    paths?: Record<string, { get?: { parameters?: { in: string; name: string }[] } }>;
  };
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd',
    type: 'TEXT',
  });
  let place = 0;
  for (const [template, { get }] of Object.entries(paths)) {
    const queries = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    if (queries.length === 0 || template.endsWith('/events')) continue;
    const path = template.replace('{datasetId}', dataset.id).replaceAll(/\{\w+\}/g, 'none');
    for (const name of queries) {
      for (const [kind, make] of textsFor((place += 1))) {
        // Node accepts at most 16 KiB of address and headers together.
        const text = encodeURI(make(5_000)).replaceAll('#', '').slice(0, 15_000);
        await isQuick(service, `${path}?${name}=${kind}`, { method: 'GET', path: `${path}?${name}=${text}` });
      }
    }
  }
  for (const [kind, make] of Object.entries(texts)) {
    const value = make(14_000);
    const id = encodeURI(make(5_000)).slice(0, 15_000);
    await isQuick(service, `id: ${kind}`, { method: 'GET', path: `/api/v1/data-management/datasets/${id}` });
    for (const name of [
      'authorization',
      'cookie',
      'content-type',
      'range',
      'if-none-match',
      'if-range',
      'accept',
      'last-event-id',
      'x-forwarded-for',
      'accept-encoding',
    ]) {
      const headers = { [name]: name === 'cookie' ? value.replaceAll(',', ';') : value };
      for (const path of ['/api/v1/auth/me', `/api/v1/data-management/datasets/${dataset.id}/files/download`, '/'])
        await isQuick(service, `${name} of ${path}: ${kind}`, { method: 'GET', path, headers });
      await isQuick(service, `${name} of a body: ${kind}`, {
        method: 'POST',
        path: '/api/v1/auth/login',
        headers,
        body: Buffer.from('{}'),
      });
    }
  }
});
