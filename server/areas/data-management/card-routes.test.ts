import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Api, ApiAnswer } from '../../../tests/support/api.ts';
import { splitOf } from './cards/splits.ts';
import type { Card } from './schemas/cards.ts';
import type { Dataset } from './schemas/datasets.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Distribution = {
  name: string;
  description?: string;
  sha256: string;
  contentUrl: string;
  encodingFormat: string;
  '@id': string;
};
type Field = {
  name: string;
  dataType: string;
  source: { fileObject: { '@id': string }; extract: object; transform?: object };
};
type Described = {
  distribution: Distribution[];
  recordSet: { name: string; description?: string; field: Field[] }[];
  [name: string]: unknown;
};

async function upload(
  { api }: Api,
  id: string,
  files: Readonly<Record<string, string | Buffer<ArrayBuffer>>>,
): Promise<void> {
  const form = new FormData();
  for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
  assert.equal((await api('POST', `/data-management/datasets/${id}/files/upload`, form)).status, 201);
}

/** Retries while the answer is 503: checksums are computed in the background. */
async function describe({ api }: Api, path: string): Promise<ApiAnswer<Described>> {
  for (;;) {
    const answer = await api<Described>('GET', path);
    if (answer.status !== 503) return answer;
    assert.ok(answer.headers.has('retry-after'));
    await setTimeout(50);
  }
}

shared.forAnyDatabase('a card tells people and programs what a version is', async (_t, service) => {
  const { api } = service;
  const given = { name: 'Soils', type: 'TEXT', tags: ['earth'], description: 'Samples', citation: ' Ann, 2026 ' };
  const { body: made } = await api<Dataset>('POST', '/data-management/datasets', given);
  assert.deepEqual([made.license, made.citation], [null, 'Ann, 2026']);
  const at = `/data-management/datasets/${made.id}`;
  await upload(service, made.id, {
    'README.md': '---\nlicense: "mit"\ntags: [a]\n---\n# Soils\n\nText.\n',
    'data/train-1.jsonl': '{"text":"loam","n":1,"parts":["a"]}\n{"text":"sand","n":2,"parts":[]}\n',
    'data/dev.csv': 'text,n,,n\nclay,3,4,5\n',
    'packed.jsonl.gz': gzipSync('{"a":1}\n'),
    'odd name, "quoted".json': '[{"a b": 1.5, "day": "2026-01-02"}]',
    'broken.parquet': 'no parquet',
    'empty.txt': '',
  });
  const { body: card } = await api<Card>('GET', `${at}/card`);
  assert.deepEqual(
    [card.name, card.license, card.citation, card.tags, card.version, card.fileCount],
    ['Soils', 'mit', 'Ann, 2026', ['earth'], 2, 7],
  );
  assert.deepEqual(
    [card.readme?.path, card.readme?.text, card.readme?.cut],
    ['README.md', '# Soils\n\nText.\n', false],
  );
  assert.deepEqual(
    card.splits.map(({ name, files }) => [name, files]),
    [
      ['train', 1],
      ['validation', 1],
    ],
  );
  assert.deepEqual(
    card.tables.map(({ path, columns, problem }) => [path, columns.map(({ name }) => name).join(), problem !== null]),
    [
      ['broken.parquet', '', true],
      ['data/dev.csv', 'text,n,column_3,n_2', false],
      ['data/train-1.jsonl', 'text,n,parts', false],
      ['odd name, "quoted".json', 'a b,day', false],
      ['packed.jsonl.gz', 'a', false],
    ],
  );

  const { status, body: described } = await describe(service, `${at}/croissant`);
  assert.equal(status, 200, JSON.stringify(described));
  assert.deepEqual(
    [described['conformsTo'], described['license'], described['citeAs'], described['version']],
    ['http://mlcommons.org/croissant/1.0', 'mit', 'Ann, 2026', '2.0.0'],
  );
  assert.deepEqual(
    described.distribution.map((file) => file['@id']),
    [1, 2, 3, 4, 5, 6, 7].map((number) => `file-${number}`),
  );
  const packed = described.distribution.find(({ name }) => name === 'packed.jsonl.gz');
  assert.match(
    packed?.description ?? '',
    /^Table without a record set: readers of Croissant open no compressed tables$/,
  );
  const cells = described.recordSet.find(({ name }) => name === 'data/dev.csv');
  assert.deepEqual([cells?.field.length, cells?.description], [2, 'Without 2 columns that have no name of their own']);
  for (const { contentUrl, sha256 } of described.distribution) {
    assert.match(sha256, /^[0-9a-f]{64}$/);
    const bytes = await fetch(contentUrl, { headers: { authorization: `Bearer ${service.token}` } });
    const digest = await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer());
    assert.equal(Buffer.from(digest).toString('hex'), sha256);
  }
  const lines = described.recordSet.find(({ name }) => name === 'data/train-1.jsonl');
  assert.deepEqual(
    lines?.field.map(({ name, dataType }) => [name, dataType]),
    [
      ['text', 'sc:Text'],
      ['n', 'sc:Integer'],
      ['parts', 'sc:Text'],
    ],
  );
  const { extract, transform } = described.recordSet.at(-1)?.field[0]?.source ?? {};
  assert.deepEqual([extract, transform], [{ jsonPath: '$[*]' }, [{ jsonPath: '$["a b"]' }]]);
  const broken = described.distribution.find(({ name }) => name === 'broken.parquet');
  assert.match(broken?.description ?? '', /^Table without a record set: .*Parquet/);

  const changed = await api<Dataset>('PUT', at, { license: 'CC-BY-4.0', citation: null });
  assert.deepEqual([changed.body.license, changed.body.citation], ['CC-BY-4.0', null]);
  assert.equal((await api<Card>('GET', `${at}/card`)).body.license, 'CC-BY-4.0');
  assert.equal((await api('PUT', at, { license: 'x'.repeat(201) })).status, 400);
  const { body: before } = await api<Card>('GET', `${at}/card?version=1`);
  assert.deepEqual([before.readme, before.tables, before.fileCount], [null, [], 0]);
  assert.equal((await api('GET', `${at}/card?version=9`)).status, 404);
  assert.equal((await api('GET', '/data-management/datasets/none/croissant')).status, 404);
});

test('splits are words of a path, the innermost first', () => {
  const cases = {
    'train.jsonl': 'train',
    'data/test-00001.parquet': 'test',
    'valid/a.csv': 'validation',
    'test/train.csv': 'train',
  };
  for (const [path, split] of Object.entries(cases)) assert.equal(splitOf(path), split, path);
  for (const path of ['trainer.csv', 'latest.csv', 'a.csv', 'devices/b.csv'])
    assert.equal(splitOf(path), undefined, path);
});
