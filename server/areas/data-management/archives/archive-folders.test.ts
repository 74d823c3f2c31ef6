import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { toTar, toZip } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget } from '../../../../tests/support/archive-target.ts';
import type { RunningApp } from '../../../../tests/support/server.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

const entries = [
  { name: './', type: '5' },
  { name: 'empty/', type: '5' },
  { name: 'outer/inner/', type: '5' },
  { name: 'full/', type: '5' },
  { name: 'full/a.txt', content: 'rain' },
  { name: 'late/b.txt', content: 'soil' },
  { name: 'late/', type: '5' },
  { name: 'a.txt', content: 'a file' },
  { name: 'a.txt/', type: '5' },
  { name: '../up/', type: '5' },
];
const archives: [string, string, Buffer][] = [
  ['zip', 'zip', toZip(entries.map(({ name, content }) => ({ name, ...(content === undefined ? {} : { content }) })))],
  ['tar', 'tar', toTar(entries)],
  ['tar.gz', 'tar', gzipSync(toTar(entries))],
];

async function foldersIn(app: RunningApp, base: string, prefix: string): Promise<[string, number][]> {
  const { body } = await app.api<{ directories: { path: string; fileCount: number }[] }>(
    'GET',
    `${base}?directories=true&prefix=${prefix}`,
  );
  return body.directories.map(({ path, fileCount }) => [path, fileCount]);
}

shared.forAnyDatabase('empty folders of an archive are created and counted', async (_t, app) => {
  for (const [name, format, bytes] of archives) {
    const uploaded = await openArchiveTarget(app);
    const receipt = await uploaded.unpack(`x.${name}`, bytes, { prefix: 'in' });
    const streamed = await openArchiveTarget(app);
    const { body } = await streamed.stream(`format=${format}&prefix=in`, bytes);
    for (const { folders, files } of [receipt, body]) assert.deepEqual([folders, files], [2, 3], name);
    for (const refusals of [receipt.refusals, body.failures])
      assert.deepEqual(
        refusals.map(({ path }) => path),
        ['../up/', 'in/a.txt'],
        name,
      );
    for (const { base } of [uploaded, streamed]) {
      assert.deepEqual(
        await foldersIn(app, base, 'in'),
        [
          ['in/empty', 0],
          ['in/full', 1],
          ['in/late', 1],
          ['in/outer', 0],
        ],
        name,
      );
      assert.deepEqual(await foldersIn(app, base, 'in/outer'), [['in/outer/inner', 0]], name);
      const { body: dataset } = await app.api<{ version: number }>('GET', base.replace(/\/files$/, ''));
      assert.equal(dataset.version, 2, name);
    }
  }
});
