import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { makePicture } from '../../../tests/support/pictures.ts';
import { startApp } from '../../../tests/support/server.ts';

type Sample = {
  filePath: string;
  verdict: string;
  reason: string | null;
  texts: { picture?: number }[];
  pictures: { width: number | null; thumbnail: string | null }[];
};
type Answer = { data: { samples: Sample[] }; errorCode: string; message: string };

const path = '/data-cleaning/preview/pictures';
const resize = (width: number) => ({ operatorId: 'image-resizer', params: { width, height: width } });

forAnyDatabase('pictures that are sent along are tried and stored nowhere', async (t, _open, database) => {
  const { api, dataDir } = await startApp(t, { database });
  const picture = async (words: string, name: string): Promise<File> =>
    new File([new Uint8Array((await makePicture(words)).bytes)], name);
  const formOf = (request: unknown, files: readonly File[]): FormData => {
    const form = new FormData();
    if (request !== undefined) form.append('request', typeof request === 'string' ? request : JSON.stringify(request));
    for (const file of files) form.append('pictures', file, file.name);
    return form;
  };
  const large = await picture('JPEG 640×480', 'large.jpg');
  const steps = [resize(100)];

  const given = [large, await picture('PNG 32×24', 'large.jpg'), await picture('PNG 640×480, cut off', 'broken.png')];
  const { status, body } = await api<Answer>('POST', path, formOf({ steps }, given));
  assert.equal(status, 200, JSON.stringify(body));
  const { samples } = body.data;
  assert.deepEqual(
    samples.map(({ filePath }) => filePath),
    ['large.jpg', 'large.jpg', 'broken.png'],
    'in their order, also with the same name',
  );
  const [changed, , broken] = samples;
  assert.equal(changed?.verdict, 'CHANGED');
  assert.equal(changed?.pictures[0]?.width, 640);
  assert.equal(changed?.pictures[changed.texts[0]?.picture ?? -1]?.width, 100);
  assert.match(changed?.pictures[0]?.thumbnail ?? '', /^data:image\/webp;base64,/);
  assert.equal(broken?.verdict, 'FAILED');
  assert.notEqual(broken?.reason, null);

  const twenty = 20 * 1024 * 1024;
  const refusals: readonly [form: FormData, status: number, mentions: string][] = [
    [formOf({ steps }, [new File([new Uint8Array(twenty + 1)], 'huge.jpg')]), 413, 'huge.jpg'],
    [
      formOf(
        { steps },
        Array.from({ length: 7 }, () => large),
      ),
      400,
      'at most 6 files',
    ],
    [formOf({ steps }, [new File(['words'], 'notes.txt')]), 400, '"notes.txt" does not have the file extension of one'],
    [formOf({ steps }, []), 400, 'pictures is required'],
    [formOf(undefined, [large]), 400, 'request is required'],
    [formOf('{', [large]), 400, 'request must be JSON'],
    [formOf({ steps: [{ operatorId: 'nothing' }] }, [large]), 400, 'steps[0].operatorId'],
    [formOf({ steps: [resize(-1)] }, [large]), 400, 'steps[0].params.width'],
  ];
  for (const [form, wanted, mentions] of refusals) {
    const refused = await api<Answer>('POST', path, form);
    assert.equal(refused.status, wanted, mentions);
    assert.ok(JSON.stringify(refused.body).replaceAll('\\"', '"').includes(mentions), JSON.stringify(refused.body));
  }

  const left = (await readdir(dataDir, { recursive: true })).filter((file) => file.endsWith('-given'));
  assert.deepEqual(left, [], `nothing is left in ${join(dataDir, '…')}`);
  const datasets = await api<{ totalElements: number }>('GET', '/data-management/datasets');
  assert.equal(datasets.body.totalElements, 0);
});
