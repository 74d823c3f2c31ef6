import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesFor } from './reading-ways.ts';

const place = { origin: 'http://tilth.example', datasetId: '0199', version: 7, file: undefined };
const jsonl = { id: 'f1', path: 'a/rows.jsonl', fileType: 'jsonl' };

test('every way names the dataset, the version and the file', () => {
  assert.match(linesFor('datasets', place) ?? '', /load_dataset\("tilth\/0199", revision="7"\)/);
  const pandas = linesFor('pandas', { ...place, file: jsonl }) ?? '';
  assert.match(
    pandas,
    /read_json\("http:\/\/tilth\.example\/api\/v1\/data-management\/datasets\/0199\/files\/f1\/download\?version=7", lines=True/,
  );
  assert.match(linesFor('curl', { ...place, file: jsonl }) ?? '', /curl -r 0-999/);
});

test('a way that does not fit the files is left out', () => {
  assert.equal(linesFor('pandas', place), undefined);
  assert.equal(linesFor('pyarrow', { ...place, file: jsonl }), undefined);
  assert.match(linesFor('pyarrow', { ...place, file: { ...jsonl, fileType: 'parquet' } }) ?? '', /read_table/);
  assert.equal(linesFor('pandas', { ...place, file: { ...jsonl, fileType: 'png' } }), undefined);
});
