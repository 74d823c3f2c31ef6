import assert from 'node:assert/strict';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { runCommandHere } from '../../../tests/support/commands-here.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { commitOf } from './hub/hub-names.ts';
import type { File } from './schemas/files.ts';
import type { Version } from './schemas/versions.ts';

const shared = sharedApp(import.meta.url);

const commit = '0123456789abcdef0123456789abcdef01234567';
const reserved = [
  '2',
  'v2',
  'V2',
  ' v2 ',
  '0',
  '007',
  '2024',
  '20240131120000',
  'v99999999999999999999',
  'main',
  'Main',
];
const alsoReserved = ['HEAD', 'head', 'refs', 'refs/heads/main', 'refs/tags/x', commit, commit.toUpperCase()];
const names = ['v2.0', 'v2-beta', '2024-01', 'r2', 'mainline', 'main 2', '２', 'v', '2x', `${commit}0`, 'release/1'];

type Refusal = { error: string; message: string; parameter: string };

shared.forAnyDatabase('a name that means something else as a revision is refused', async (_t, { api }) => {
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'named', type: 'TEXT' });
  const at = `/data-management/datasets/${body.id}/versions`;
  for (const name of [...reserved, ...alsoReserved]) {
    const refused = await api<Refusal>('POST', at, { name });
    assert.deepEqual([refused.status, refused.body.error], [400, 'INVALID_PARAMETER'], name);
    assert.match(refused.body.message, /^name must not be a number, .* addresses another version$/, name);
  }
  for (const name of names) {
    const named = await api<Version>('POST', at, { name });
    assert.deepEqual([named.status, named.body.name, named.body.nameIsReserved], [201, name, false]);
  }
});

shared.forAnyDatabase(
  'every way to a version agrees on what its name means',
  async (t, { api, url, token }, options) => {
    const { body } = await api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'old names',
      type: 'TEXT',
    });
    const at = `/data-management/datasets/${body.id}`;
    for (const content of ['two', 'three', 'four', 'five', 'six']) {
      const form = new FormData();
      form.append('files', new Blob([content]), 'f.txt');
      await api('POST', `${at}/files/upload`, form);
    }
    const database = await openDatabase(options);
    t.after(() => database.close());
    // As earlier releases stored them.
    for (const [version, name] of [
      [2, 'good'],
      [3, 'main'],
      [4, 'v2'],
      [5, '3'],
      [6, 'good'],
    ] as const)
      await database.write((tx) =>
        tx
          .updateTable('versions')
          .set({ name })
          .where('dataset_id', '=', body.id)
          .where('version', '=', version)
          .execute(),
      );

    const listed = await api<{ content: Version[] }>('GET', `${at}/versions?sort=version,asc`);
    assert.deepEqual(
      listed.body.content.map(({ name, nameIsReserved }) => `${name}${nameIsReserved ? ' (reserved)' : ''}`),
      ['null', 'good', 'main (reserved)', 'v2 (reserved)', '3 (reserved)', 'good'],
    );
    const get = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const refs = (await (await get(`/api/datasets/${body.id}/refs`)).json()) as {
      branches: { name: string; targetCommit: string }[];
      tags: { name: string; ref: string; targetCommit: string }[];
    };
    assert.deepEqual(refs.tags, [{ name: 'good', ref: 'refs/tags/good', targetCommit: commitOf(body.id, 6) }]);
    const wanted: [string, string | undefined][] = [
      ['main', 'six'],
      ['HEAD', 'six'],
      ['v2', 'two'],
      ['V2', 'two'],
      ['3', 'three'],
      ['v3', 'three'],
      ['5', 'five'],
      ['good', 'six'],
      ['refs/tags/good', 'six'],
      [commitOf(body.id, 4), 'four'],
      ['refs/tags/v2', undefined],
      ['0', undefined],
      ['4294967295', undefined],
      ['99999999999', undefined],
      [commitOf(body.id, 0xffff_fffe), undefined],
      [commit, undefined],
      ['Main', undefined],
    ];
    for (const [revision, content] of wanted) {
      const read = await get(`/datasets/${body.id}/resolve/${encodeURIComponent(revision)}/f.txt`);
      assert.deepEqual(
        [read.status, content && (await read.text())],
        [content === undefined ? 404 : 200, content],
        revision,
      );
    }
    for (const { name, targetCommit } of [...refs.branches, ...refs.tags]) {
      const named = await get(`/datasets/${body.id}/resolve/${name}/f.txt`);
      assert.equal(named.headers.get('x-repo-commit'), targetCommit, name);
    }
    const [file] = (await api<{ content: File[] }>('GET', `${at}/files`)).body.content;
    const byNumber = await get(`/api/v1${at}/files/${file?.id}/download?version=2`);
    assert.equal(await byNumber.text(), 'two');
    assert.equal((await get(`/api/v1${at}/files/${file?.id}/download?version=v2`)).status, 400);
    const { body: key } = await api<{ key: string }>('POST', '/auth/api-keys', { name: 'names' });
    const env = { TILTH_URL: url, TILTH_API_KEY: key.key };
    const sizes = async (version: string) =>
      runCommandHere(['cli', 'ls', body.id, '--version', version, '--json'], env);
    assert.match((await sizes('3')).stdout, /"size":\s*5|"fileSize":\s*5/);
    const refused = await sizes('v2');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /--version must be an integer/);
  },
);
