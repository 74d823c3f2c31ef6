import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTar, toZip } from '../contract/archive-bytes.ts';
import type { Answer } from '../contract/answer.ts';
import { sharedService } from '../contract/service.ts';
import { ChunkResult, StreamResult } from '../contract/shapes.ts';
import { readZip } from '../contract/zip-reading.ts';
import { harmlessNames, longestPath, refusedPaths } from './paths.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

test('paths that must be refused, in every place where one comes in', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const home = `${data}/datasets/${id}`;
  const [file] = await admin.putFiles(id, { 'stays.txt': 'stays' });
  const reqId = await admin.newUpload(id, { totalFileNum: 100, totalSize: 1000 });
  const steps = [{ operatorId: 'whitespace-normalizer' }];
  const encoded = (path: string): string => encodeURIComponent(path);

  const places: Record<
    string,
    { field: string; send: (path: string) => Promise<Answer>; isSkipped?: (path: string) => boolean }
  > = {
    'fileName of a chunk': {
      field: 'fileName',
      send: (path) =>
        admin.sendChunk(id, { reqId, fileNo: 1, fileName: path, totalChunkNum: 1, chunkNo: 1, bytes: 'x' }),
    },
    'prefix of a pre-upload': {
      field: 'prefix',
      send: (prefix) => admin.preUpload(id, { totalFileNum: 1, totalSize: 1, prefix }),
    },
    'name of a whole file': {
      field: '',
      send: (fileName) =>
        admin.call('POST', `${home}/files/upload`, { form: [{ name: 'files', value: 'x', fileName }] }),
      // These end the header line and so break the form itself, which the tests of forms cover.
      isSkipped: (path) => /[\r\n]/.test(path),
    },
    'prefix of a stream': {
      field: 'prefix',
      send: (prefix) =>
        admin.call('POST', `${home}/files/upload/stream?format=tar&prefix=${encoded(prefix)}`, { body: toTar([]) }),
    },
    'parentPrefix of a directory': {
      field: 'parentPrefix',
      send: (parentPrefix) => admin.post(`${home}/files/directories`, { parentPrefix, directoryName: 'x' }),
    },
    'directoryName of a directory': {
      field: 'directoryName',
      send: (directoryName) => admin.post(`${home}/files/directories`, { directoryName }),
    },
    'path of a directory to delete': {
      field: 'path',
      send: (path) => admin.delete(`${home}/files/directories?path=${encoded(path)}`),
    },
    'filePath of a PATCH': {
      field: 'filePath',
      send: (filePath) => admin.patch(`${home}/files/${file?.id}`, { filePath }),
    },
    'prefix of a list': { field: 'prefix', send: (prefix) => admin.get(`${home}/files?prefix=${encoded(prefix)}`) },
    'prefix of a batch download': {
      field: 'prefix',
      send: (prefix) => admin.get(`${home}/files/download?prefix=${encoded(prefix)}`),
    },
    'input.prefix of a cleaning task': {
      field: 'prefix',
      send: (prefix) =>
        admin.post('/data-cleaning/tasks', { name: 'x', sourceDatasetId: id, steps, input: { prefix } }),
    },
  };
  for (const [place, { field, send, isSkipped }] of Object.entries(places)) {
    await t.test(place, async () => {
      for (const [why, path] of Object.entries({ ...refusedPaths, 'a NUL': 'a\u0000.txt' })) {
        if (isSkipped?.(path) === true) continue;
        const answer = await send(path);
        assert.equal(answer.status, 400, `${why}: ${answer.bytes.toString('utf8', 0, 300)}`);
        answer.fails(400, 'INVALID_PARAMETER', field);
      }
    });
  }

  await t.test('spellings of ../ in a URL', async () => {
    for (const path of [
      '..%2fup',
      '%2e%2e/up',
      '%2E%2E%2Fup',
      '..%5cup',
      '%2e%2e%5Cup',
      'a/%2e%2e/%2e%2e/up',
      '%c0%ae%c0%ae/up',
      '%c0%ae%c0%ae%c0%afup',
      '%e0%80%ae%e0%80%ae/up',
      '..%c0%afup',
      '%ff',
      '%ed%a0%80',
      '%00',
      'a%00.txt',
      '%0a',
      '%zz',
      '%',
      '%f',
    ]) {
      (await admin.get(`${home}/files?prefix=${path}`)).fails(400, 'INVALID_PARAMETER', 'prefix');
      (await admin.get(`${home}/files/download?prefix=${path}`)).fails(400, 'INVALID_PARAMETER', 'prefix');
      (await admin.delete(`${home}/files/directories?path=${path}`)).fails(400, 'INVALID_PARAMETER', 'path');
    }
  });

  await t.test('encoded twice it is a name like any other', async () => {
    assert.equal((await admin.get(`${home}/files?prefix=%252e%252e%252fup`)).status, 200);
    (await admin.delete(`${home}/files/directories?path=%252e%252e%252fup`)).fails(404);
  });

  await t.test('half a surrogate pair is no UTF-8', async () => {
    const body = Buffer.from(String.raw`{"directoryName":"a\ud800b"}`);
    const answer = await admin.call('POST', `${home}/files/directories`, { body, contentType: 'application/json' });
    answer.fails(400, 'INVALID_PARAMETER', 'directoryName');
  });

  await t.test('dots in the URL’s own path lead nowhere', async () => {
    for (const path of [
      `${data}/datasets/../../auth/users`,
      `${data}/datasets/%2e%2e/%2e%2e/auth/users`,
      `/../../../../etc/passwd`,
      `/%2e%2e/%2e%2e/etc/passwd`,
      `${home}/files/..%2f..%2f..%2fetc%2fpasswd/download`,
    ]) {
      const answer = await admin.get(path);
      assert.ok([400, 404].includes(answer.status), `${path} → ${answer.status}`);
    }
  });

  await t.test('nothing came in', async () => {
    assert.deepEqual([...(await admin.files(id)).keys()], ['stays.txt']);
    assert.equal((await admin.dataset(id)).version, 2);
  });
});

test('names that are only names', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const wanted = new Map<string, string>();

  await t.test('come in by chunk, each as it is', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: harmlessNames.length + 1, totalSize: 10_000 });
    for (const [fileNo, fileName] of [...harmlessNames, longestPath].entries()) {
      const bytes = `content ${fileNo}`;
      const fields = { reqId, fileNo, fileName, totalChunkNum: 1, chunkNo: 1, bytes };
      const { file } = (await admin.sendChunk(id, fields)).is(200, ChunkResult);
      assert.equal(file?.filePath, fileName);
      wanted.set(fileName, bytes);
    }
    assert.deepEqual([...(await admin.files(id)).keys()].sort(), [...wanted.keys()].sort());
  });

  await t.test('go out by download and in a ZIP', async () => {
    for (const file of (await admin.files(id)).values()) {
      const answer = await admin.download(id, file.id);
      assert.equal(answer.bytes.toString(), wanted.get(file.filePath));
      assert.doesNotMatch(answer.header('Content-Disposition'), /[^\u0020-\u007e]/);
    }
    const entries = await readZip((await admin.get(`${data}/datasets/${id}/files/download`)).bytes);
    const zipped = new Map([...entries].map(([name, content]) => [name, content.toString()]));
    assert.deepEqual(zipped, wanted);
  });

  await t.test('come in as archive entries', async () => {
    const names = [...harmlessNames].filter((name) => !name.endsWith('/'));
    for (const [format, body] of [
      ['tar', toTar(names.map((name) => ({ name, content: name })))],
      ['zip', toZip(names.map((name) => ({ name, content: name })))],
    ] as const) {
      const other = await admin.newDataset();
      const answer = await admin.call('POST', `${data}/datasets/${other.id}/files/upload/stream?format=${format}`, {
        body,
      });
      assert.equal(
        answer.is(201, StreamResult).files,
        names.length,
        `${format} ${answer.bytes.toString('utf8', 0, 600)}`,
      );
      assert.deepEqual([...(await admin.files(other.id)).keys()].sort(), [...names].sort());
    }
  });

  await t.test('are folders, too', async () => {
    const other = await admin.newDataset();
    for (const directoryName of harmlessNames.filter((name) => name.trim() === name && !name.includes('/'))) {
      const answer = await admin.post(`${data}/datasets/${other.id}/files/directories`, { directoryName });
      assert.equal(answer.status, 201, `${directoryName}: ${answer.bytes.toString()}`);
      (
        await admin.delete(`${data}/datasets/${other.id}/files/directories?path=${encodeURIComponent(directoryName)}`)
      ).isEmpty();
    }
  });

  await t.test('4,096 bytes with the prefix are a path, 4,097 aren’t', async () => {
    const prefix = longestPath.slice(0, longestPath.lastIndexOf('/'));
    const room = 4096 - prefix.length - 1;
    const reqId = await admin.newUpload(id, { totalFileNum: 2, totalSize: 2, prefix });
    const fields = { reqId, fileNo: 1, totalChunkNum: 1, chunkNo: 1, bytes: 'x' };
    (await admin.sendChunk(id, { ...fields, fileName: 'y'.repeat(room + 1) })).fails(
      400,
      'INVALID_PARAMETER',
      'fileName',
    );
    (await admin.sendChunk(id, { ...fields, fileName: 'y'.repeat(room) })).is(200, ChunkResult);
  });
});
