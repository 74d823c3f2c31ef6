import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDataset } from './new-dataset-plan.ts';

const chosen = (...paths: string[]) =>
  paths.map((path) => ({
    path,
    file: new File(['x'], path, { type: path.endsWith('.png') ? 'image/png' : 'text/plain' }),
  }));
const planned = (...paths: string[]) => {
  const { name, type, files } = planDataset(chosen(...paths));
  return { name, type, paths: files.map(({ path }) => path) };
};

test('a folder names the dataset and leaves the paths of its files', () => {
  assert.deepEqual(planned('notes/a.txt', 'notes/sub/b.txt'), {
    name: 'notes',
    type: 'TEXT',
    paths: ['a.txt', 'sub/b.txt'],
  });
  assert.deepEqual(planned('notes/a.txt', 'other/b.txt').name, undefined, 'two folders name none');
  assert.deepEqual(planned('a.txt', 'notes/b.txt').paths, ['a.txt', 'notes/b.txt']);
});

test('a single file names the dataset without its extension', () => {
  assert.equal(planned('bundle.tar.gz').name, 'bundle');
  assert.equal(planned('rows.2026.jsonl').name, 'rows.2026');
  assert.equal(planned('.env').name, '.env');
  assert.equal([...(planned(`${'高'.repeat(120)}.txt`).name ?? '')].length, 100);
});

test('pictures make a dataset of pictures, whatever readme lies beside them', () => {
  assert.equal(planned('p/1.png', 'p/2.png', 'p/3.png', 'p/4.png', 'p/readme.md').type, 'IMAGE');
  assert.equal(planned('p/1.png', 'p/readme.md').type, 'TEXT');
});
