import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { docxOf } from '../../../tests/support/document-files.ts';
import { parquetOfTexts } from '../../../tests/support/parquet.ts';
import { startApp } from '../../../tests/support/server.ts';
import type { FilePreview } from './schemas/file-previews.ts';

/** The rows `a  b`, `x` and `c  d`, in two streams. */
const bzip2Rows = Buffer.from(
  'QlpoOTFBWSZTWdUS6JcAAAzZgAAQUAAAEDIABEogACEpGm0NQgGmmhlTgmce7CR4mGM6fF3JFOFCQ1RLolxCWmg5MUFZJlNZCwgwCAAAB1mAABBQAAAQDgAESiAAIoxo1P1CAaaaBS7G+JEhGi7kinChIBYQYBA=',
  'base64',
);

test('a file is shown as a run reads it: unpacked, decoded, rows as rows, documents as text', async (t) => {
  const { api } = await startApp(t);
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const at = `/data-management/datasets/${dataset.id}/files`;
  const packed = gzipSync('{"text":"one"}\n'.repeat(40_000));
  const files: Readonly<Record<string, Buffer>> = {
    'a.jsonl.gz': packed,
    'cut.jsonl.gz': packed.subarray(0, packed.length - 12),
    'b.csv.zst': zstdCompressSync('id,text\n1,one\n'),
    'c.jsonl.bz2': bzip2Rows,
    'd.txt.gz': gzipSync('a  text'),
    'e.parquet': await parquetOfTexts(['one', '二']),
    'f.json': Buffer.from('[{"text": "one"},\n {"text":\n "two"}]'),
    'cut.json': Buffer.from('[{"id":1},{"id":2,"te'),
    'g.docx': docxOf(['A contract']),
    'h.csv': Buffer.from('id,text\n1,Übergröße für Äcker, déjà vu\n', 'latin1'),
    'i.pdf': Buffer.from('%PDF-1.7 and nothing of one'),
    'j.tar.gz': gzipSync('an archive'),
    'k.txt': Buffer.from('übrig'),
    'l.txt': Buffer.alloc(0),
    'm.parquet': Buffer.from('PAR1 and nothing of one'),
  };
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append('files', new File([new Uint8Array(content)], name));
  const { body: stored } = await api<{ id: string; filePath: string }[]>('POST', `${at}/upload`, form);
  const look = async (path: string, query = ''): Promise<FilePreview> => {
    const { id = '' } = stored.find(({ filePath }) => filePath === path) ?? {};
    const { status, body } = await api<FilePreview>('GET', `${at}/${id}/preview${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const shown = async (path: string, query = ''): Promise<unknown[]> => {
    const { form: layout, encoding, text, isWhole } = await look(path, query);
    return [layout, encoding, text, isWhole];
  };

  assert.deepEqual(await shown('a.jsonl.gz', '?maxBytes=30'), [
    'JSONL',
    'utf-8',
    '{"text":"one"}\n{"text":"one"}\n',
    false,
  ]);
  assert.equal((await look('a.jsonl.gz')).text?.length, 600_000);
  assert.deepEqual(await shown('b.csv.zst'), ['CSV', 'utf-8', 'id,text\n1,one\n', true]);
  assert.deepEqual(await shown('c.jsonl.bz2'), [
    'JSONL',
    'utf-8',
    '{"text":"a  b"}\n{"text":"x"}\n{"text":"c  d"}\n',
    true,
  ]);
  assert.deepEqual(await shown('d.txt.gz'), ['TEXT', 'utf-8', 'a  text', true]);
  assert.deepEqual(await shown('e.parquet'), ['JSONL', null, '{"id":0,"text":"one"}\n{"id":1,"text":"二"}\n', true]);
  assert.deepEqual(await shown('e.parquet', '?maxBytes=40'), ['JSONL', null, '{"id":0,"text":"one"}\n', false]);
  assert.deepEqual(await shown('f.json'), ['JSONL', 'utf-8', '{"text": "one"}\n{"text": "two"}\n', true]);
  assert.deepEqual(await shown('h.csv'), ['CSV', 'windows-1252', 'id,text\n1,Übergröße für Äcker, déjà vu\n', true]);
  assert.deepEqual(await shown('k.txt', '?maxBytes=1'), ['TEXT', 'utf-8', '', false], 'no half of a character');
  assert.deepEqual(await shown('l.txt'), ['TEXT', 'utf-8', '', true]);

  const contract = await look('g.docx');
  assert.equal(contract.text?.trim(), 'A contract');
  assert.deepEqual([contract.receipt?.format, contract.receipt?.characters], ['docx', 10]);

  const cut = await look('cut.jsonl.gz');
  assert.ok(cut.text?.startsWith('{"text":"one"}\n') === true && !cut.isWhole, 'what stands before the cut is shown');
  assert.match(cut.problem ?? '', /cut off; the rows before/);
  assert.equal(cut.problemCode, 'UNREADABLE_COMPRESSION');
  const cutArray = await look('cut.json');
  assert.deepEqual([cutArray.text, cutArray.isWhole], ['{"id":1}\n', false]);
  assert.deepEqual([cutArray.problem, cutArray.problemCode], ['the array is not closed', 'ARRAY_NOT_CLOSED']);
  assert.equal((await look('cut.json', '?maxBytes=12')).problem, null, 'what was not read yet is not cut off');
  for (const [path, problem] of [
    ['i.pdf', /^DAMAGED: /],
    ['j.tar.gz', /^it is an archive; upload it again/],
    ['m.parquet', /m\.parquet/],
  ] as const) {
    const found = await look(path);
    assert.deepEqual([found.text, found.form], [null, null]);
    assert.match(found.problem ?? '', problem);
  }

  assert.equal((await api('GET', `${at}/${dataset.id}/preview`)).status, 404);
  assert.equal((await api('GET', `${at}/${stored[0]?.id ?? ''}/preview?version=9`)).status, 404);
  assert.equal((await api('GET', `${at}/${stored[0]?.id ?? ''}/preview?maxBytes=99999999`)).status, 400);
});
