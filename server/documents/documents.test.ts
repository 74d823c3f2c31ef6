// Reads documents in processes that can be killed: whatever a document does yields a result, and the next one is read.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { docxOf } from '../../tests/support/document-files.ts';
import { pdfOf } from '../../tests/support/pdf-files.ts';
import { zipOf } from '../../tests/support/zip-files.ts';
import { createDocuments, type Documents, type DocumentResult } from './index.ts';

const documents = createDocuments({ processes: 1, memoryMb: 300 });
after(() => documents.close());

const paragraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';

function textOf(result: DocumentResult): string {
  assert.ok(result.kind === 'read', JSON.stringify(result));
  return Buffer.from(result.markdown).toString();
}

async function problemOf(bytes: Uint8Array, fileType: string, reader: Documents = documents): Promise<string> {
  const result = await reader.read({ bytes }, fileType);
  assert.ok(result.kind === 'failed');
  return `${result.problem.code}: ${result.problem.reason.text}`;
}

/** State and parent of a process by its ID, on Linux. */
function stateOf(pid: string): { state: string; parent: number } | undefined {
  if (!/^\d+$/.test(pid) || !existsSync(`/proc/${pid}/stat`)) return undefined;
  try {
    const [state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined; // It has just ended.
  }
}

test('reads bytes, and bytes in the middle of a file', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-documents-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'pack');
  const pdf = pdfOf([['From a pack']]);
  writeFileSync(path, Buffer.concat([Buffer.from('before'), pdf, Buffer.from('after')]));
  assert.equal(textOf(await documents.read({ path, offset: 6, sizeBytes: pdf.length }, 'pdf')), 'From a pack');
  assert.equal(textOf(await documents.read({ bytes: docxOf(['At hand']) }, 'docx')), 'At hand');
});

test('a document that takes too long is ended', async () => {
  const hasty = createDocuments({ processes: 1, timeoutMs: 100 });
  const long = docxOf([], { body: paragraph.repeat(1_500_000) });
  assert.equal(await problemOf(long, 'docx', hasty), 'TIMED_OUT: reading it takes longer than 0.1 s');
  hasty.close();
});

test('a document that takes too much memory is ended; the next one is read', async () => {
  const large = zipOf([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: 'word/document.xml', content: 'a'.repeat(400 << 20) },
  ]);
  assert.equal(await problemOf(large, 'docx'), 'OUT_OF_MEMORY: reading it needs more than 300 MiB of memory');
  assert.equal(textOf(await documents.read({ bytes: docxOf(['still here']) }, 'docx')), 'still here');
});

test('many documents at once share the processes and none is mixed up', async () => {
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => documents.read({ bytes: docxOf([`number ${index}`]) }, 'docx')),
  );
  assert.deepEqual(
    results.map(textOf),
    results.map((_, index) => `number ${index}`),
  );
});

test('one document does not wait for all of those of somebody else', async () => {
  const single = createDocuments({ processes: 1 });
  const ended: string[] = [];
  const read = async (owner: string): Promise<void> => {
    await single.read({ bytes: docxOf(['x']) }, 'docx', undefined, owner);
    ended.push(owner);
  };
  await Promise.all([read('many'), read('many'), read('many'), read('one')]);
  assert.deepEqual(ended, ['many', 'one', 'many', 'many']);
  single.close();
});

test('a file over the limit is not even opened', async () => {
  const strict = createDocuments({ limits: { maxFileBytes: 100 } });
  const problem = await strict.read({ path: '/nowhere', offset: 0, sizeBytes: 101 }, 'pdf');
  assert.ok(problem.kind === 'failed' && problem.problem.code === 'TOO_LARGE');
  strict.close();
});

test('nothing is fetched, and the service outside is out of reach of what a document names', async () => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  const page = `<html><head><link rel=stylesheet href="${url}/s"><base href="${url}"></head><body>x<img src="${url}/i"><iframe src="${url}/f"></iframe><script src="${url}/j"></script></body>`;
  assert.match(textOf(await documents.read({ bytes: Buffer.from(page) }, 'html')), /^x/);
  const doctype = `<!DOCTYPE x SYSTEM "${url}/d" [<!ENTITY a SYSTEM "${url}/e">]>`;
  const body = '<w:p><w:r><w:t>y&a;</w:t></w:r></w:p>';
  assert.match(textOf(await documents.read({ bytes: docxOf([], { doctype, body }) }, 'docx')), /^y/);
  await new Promise((resolve) => server.close(resolve));
  assert.equal(calls, 0);
});

test('an abort ends the reading at once', async () => {
  const stop = new AbortController();
  const reading = documents.read({ bytes: docxOf([], { body: paragraph.repeat(1_000_000) }) }, 'docx', stop.signal);
  stop.abort(new Error('the run was stopped'));
  await assert.rejects(reading, /the run was stopped/);
  assert.equal(textOf(await documents.read({ bytes: docxOf(['next']) }, 'docx')), 'next');
});

test('bytes that are gone, too few or other than they should be are damaged, not a bad document', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-documents-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'page.html');
  const bytes = Buffer.from('<html><body><p>some words</p></body></html>');
  await writeFile(path, bytes);
  const source = { path, offset: 0, sizeBytes: bytes.length, crc32: crc32(bytes) };
  assert.equal(textOf(await documents.read(source, 'html')), 'some words');
  assert.deepEqual(await documents.read({ ...source, crc32: source.crc32 ^ 1 }, 'html'), { kind: 'damaged' });
  assert.deepEqual(await documents.read({ ...source, sizeBytes: bytes.length + 1 }, 'html'), { kind: 'damaged' });
  assert.deepEqual(await documents.read({ ...source, path: '/nowhere/at/all' }, 'html'), { kind: 'damaged' });
});

test('a path that is no file is an error', async () => {
  await assert.rejects(documents.read({ path: tmpdir(), offset: 0, sizeBytes: 5 }, 'pdf'), /could not be read/);
});

test(
  'a reader whose service was killed ends itself, however busy it is',
  { skip: !existsSync('/proc/self/stat') },
  async () => {
    const module = JSON.stringify(new URL('index.ts', import.meta.url).href);
    const files = JSON.stringify(new URL('../../tests/support/document-files.ts', import.meta.url).href);
    const program = `
    const { createDocuments } = await import(${module});
    const { docxOf } = await import(${files});
    const documents = createDocuments({ processes: 1, memoryMb: 4096 });
    console.log((await documents.read({ bytes: docxOf(['x']) }, 'docx')).kind);
    documents.read({ bytes: docxOf([], { body: ${JSON.stringify(paragraph)}.repeat(1_900_000) }) }, 'docx');`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(service.stdout, 'data')) as [Buffer];
    assert.equal(said.toString().trim(), 'read');
    const pid = readdirSync('/proc').find((entry) => stateOf(entry)?.parent === service.pid);
    assert.ok(pid !== undefined);
    while (stateOf(pid)?.state !== 'R') await new Promise((resolve) => setTimeout(resolve, 5));
    service.kill('SIGKILL');
    await once(service, 'exit');
    while (![undefined, 'Z'].includes(stateOf(pid)?.state)) await new Promise((resolve) => setTimeout(resolve, 20));
  },
);

test('closing ends the processes and whoever waits for them', async () => {
  const closing = createDocuments({ processes: 1 });
  const readings = [1, 2].map(() => closing.read({ bytes: docxOf(['x']) }, 'docx'));
  closing.close();
  for (const reading of readings) await assert.rejects(reading, /closed/);
  await assert.rejects(closing.read({ bytes: docxOf(['x']) }, 'docx'), /closed/);
});
