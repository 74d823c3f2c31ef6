// A form of files that is written here is what any parser reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOfFiles } from './file-form.ts';

test('a form of files is what any parser of forms reads', async () => {
  const bytes = new TextEncoder().encode('--b\r\nbytes');
  const files = [
    { fileNo: 4, fileName: 'ä "b"/文.txt', checkSumHex: '01020304', bytes },
    { fileNo: 5, fileName: 'empty', checkSumHex: '00000000', bytes: new Uint8Array() },
  ];
  const { body, contentType } = formOfFiles(files, 'boundary-of-the-test');
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  assert.deepEqual(form.getAll('fileNo'), ['4', '5']);
  assert.deepEqual(form.getAll('fileName'), ['ä "b"/文.txt', 'empty']);
  assert.deepEqual(form.getAll('checkSumHex'), ['01020304', '00000000']);
  const contents = await Promise.all(form.getAll('file').map((file) => (file as File).text()));
  assert.deepEqual(contents, ['--b\r\nbytes', '']);
});
