import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRows, isReadByService, kindOf } from './file-kind.ts';

const named = (fileName: string, contentType = 'application/octet-stream') => ({
  fileName,
  fileType: fileName.includes('.') ? fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase() : '',
  contentType,
});

test('a compressed file is shown as what is in it', () => {
  const kinds = ['a.jsonl.gz', 'b.CSV.zst', 'c.tsv.bz2', 'd.pdf.gz', 'README.gz', 'notes.txt.gz', 'e.tar.gz'];
  assert.deepEqual(
    kinds.map((name) => kindOf(named(name))),
    ['table', 'table', 'table', 'document', 'text', 'text', 'other'],
  );
});

test('a file is shown by its type, and what is no plain text is read by the service', () => {
  assert.equal(kindOf(named('a.parquet')), 'table');
  assert.equal(kindOf(named('a.arrow')), 'table');
  assert.equal(kindOf(named('a.parq')), 'table');
  assert.equal(kindOf(named('a.png', 'image/png')), 'image');
  assert.equal(kindOf(named('a.html', 'text/html')), 'document');
  assert.equal(kindOf(named('Makefile')), 'text');
  assert.deepEqual(
    ['a.csv', 'a.csv.gz', 'a.parquet', 'a.feather', 'a.json', 'a.txt'].map((name) => isReadByService(named(name))),
    [false, true, true, true, true, false],
  );
});

test('all rows can be shown of tables, also of compressed ones', () => {
  assert.deepEqual(
    ['a.csv', 'a.parquet', 'a.csv.gz', 'a.jsonl.zst', 'a.jsonl.bz2', 'a.txt.gz', 'a.arrow', 'a.txt'].map((name) =>
      hasRows(named(name)),
    ),
    [true, true, true, true, true, false, true, false],
  );
});
