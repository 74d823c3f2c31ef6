import assert from 'node:assert/strict';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import type { FileGroupAnswer } from './schemas/file-groups.ts';
import type { File as StoredFile } from './schemas/files.ts';

const shared = sharedApp(import.meta.url);

type Part = readonly [path: string, content: string];
type Refusal = { error: string; message: string };

/** Parts of one call, and the two that the error must name. */
const twins: [string, Part[], RegExp][] = [
  [
    'twice',
    [
      ['x.txt', '1'],
      ['x.txt', '2'],
    ],
    /File x\.txt exists already in this call: part 1 \(x\.txt\) and part 2 \(x\.txt\) are both for this path/,
  ],
  [
    'same bytes',
    [
      ['x.txt', '1'],
      ['x.txt', '1'],
    ],
    /part 1 \(x\.txt\) and part 2/,
  ],
  [
    'apart',
    [
      ['a.txt', ''],
      ['b.txt', 'b'],
      ['a.txt', 'c'],
    ],
    /part 1 \(a\.txt\) and part 3 \(a\.txt\)/,
  ],
  [
    'in a folder',
    [
      ['d/e/f', '1'],
      ['d/e', '2'],
      ['d/e/f', '3'],
    ],
    /File d\/e exists already in this call, as a file by part 2 \(d\/e\) and as a folder by part 1 \(d\/e\/f\)/,
  ],
  [
    'folder of a file',
    [
      ['d', '1'],
      ['other', '2'],
      ['d/e/f', '3'],
    ],
    /File d exists already in this call, as a file by part 1 \(d\) and as a folder by part 3 \(d\/e\/f\)/,
  ],
  [
    'Chinese',
    [
      ['数据/表.csv', '1'],
      ['数据/表.csv', '2'],
    ],
    /part 1 \(数据\/表\.csv\) and part 2/,
  ],
  [
    'spaces',
    [
      [' x', '1'],
      ['x', '2'],
      [' x', '3'],
    ],
    /part 1 \( x\) and part 3/,
  ],
  [
    'empty files',
    [
      ['e', ''],
      ['e', ''],
    ],
    /part 1 \(e\) and part 2 \(e\)/,
  ],
  [
    'three times',
    [
      ['t', '1'],
      ['t', '2'],
      ['t', '3'],
    ],
    /part 1 \(t\) and part 2 \(t\)/,
  ],
];
/** Parts that are no twins, though they look alike. */
const alike: Part[] = [
  ['x', '1'],
  ['X', '2'],
  ['x.txt', '3'],
  ['x/y', '4'],
  ['é', '5'],
  ['e\u0301', '6'],
  ['a.b/c', '7'],
  ['a', '8'],
];

shared.forAnyDatabase('two parts of one path are refused by name, or both kept with RENAME', async (_t, { api }) => {
  const make = async (): Promise<string> => {
    const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'twins', type: 'TEXT' });
    return `/data-management/datasets/${body.id}`;
  };
  const send = async (at: string, parts: readonly Part[], onConflict?: string) => {
    const form = new FormData();
    for (const [path, content] of parts) form.append('files', new Blob([content]), path);
    if (onConflict !== undefined) form.append('onConflict', onConflict);
    return api<StoredFile[] & Refusal>('POST', `${at}/files/upload`, form);
  };
  const list = async (at: string): Promise<string[]> =>
    (await api<{ content: StoredFile[] }>('GET', `${at}/files?size=100`)).body.content.map(({ filePath }) => filePath);

  const at = await make();
  for (const [name, parts, words] of twins)
    for (const onConflict of [undefined, 'REPLACE', 'ERROR']) {
      const { status, body } = await send(at, parts, onConflict);
      assert.deepEqual([status, body.error], [409, 'FILE_ALREADY_EXISTS'], name);
      assert.match(body.message, words, name);
    }
  assert.deepEqual(await list(at), [], 'nothing of a refused call is stored');
  assert.equal(
    (
      await send(
        at,
        alike.filter(([path]) => path !== 'x'),
      )
    ).status,
    201,
  );

  const kept = await send(
    await make(),
    [
      ['x.txt', '1'],
      ['x.txt', '2'],
      ['x.txt', '1'],
    ],
    'RENAME',
  );
  assert.deepEqual(
    kept.body.map(({ filePath, fileSize }) => [filePath, fileSize]),
    [
      ['x.txt', 1],
      ['x (1).txt', 1],
      ['x (2).txt', 1],
    ],
  );
  const folder = await send(
    await make(),
    [
      ['d', '1'],
      ['d/e', '2'],
    ],
    'RENAME',
  );
  assert.match(folder.body.message, /as a file by part 1 \(d\) and as a folder by part 2 \(d\/e\)/);
});

shared.forAnyDatabase('a group of small files refuses the second of a path alone', async (_t, { api }) => {
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'group', type: 'TEXT' });
  const at = `/data-management/datasets/${body.id}/files`;
  const open = async (announcement: object) =>
    (await api<string>('POST', `${at}/upload/pre-upload`, { totalFileNum: 9, totalSize: 99, ...announcement })).body;
  const send = async (reqId: string, files: readonly [number, string, string][]) => {
    const form = new FormData();
    for (const [fileNo, fileName, content] of files) {
      form.append('fileNo', String(fileNo));
      form.append('fileName', fileName);
      form.append('file', new Blob([content]), 'bytes');
    }
    return (await api<FileGroupAnswer>('POST', `${at}/upload/${reqId}/files`, form)).body.files;
  };
  const reqId = await open({});
  const answer = await send(reqId, [
    [0, 'a', '1'],
    [1, 'b', '2'],
    [2, 'a', '3'],
    [1, 'b', '2'],
    [3, 'b/c', '4'],
  ]);
  assert.deepEqual(
    answer.map(({ fileNo, fileCompleted, error }) => [fileNo, fileCompleted, error?.error]),
    [
      [0, true, undefined],
      [1, true, undefined],
      [2, false, 'FILE_ALREADY_EXISTS'],
      [1, true, undefined],
      [3, false, 'FILE_ALREADY_EXISTS'],
    ],
  );
  assert.match(answer[2]?.error?.message ?? '', /file 0 \(a\) and file 2 \(a\) are both for this path/);
  assert.match(answer[4]?.error?.message ?? '', /as a file by file 1 \(b\) and as a folder by file 3 \(b\/c\)/);
  const renamed = await send(await open({ onConflict: 'RENAME' }), [
    [0, 'n', '1'],
    [1, 'n', '2'],
  ]);
  assert.deepEqual(new Set(renamed.map(({ file }) => file?.filePath)), new Set(['n', 'n (1)']));
});
