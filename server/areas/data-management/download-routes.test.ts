import assert from 'node:assert/strict';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Api } from '../../../tests/support/api.ts';
import { startApp, type RunningApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Setting = Api & { datasetId: string; upload(path: string, bytes: Buffer): Promise<string> };

async function openSetting(own?: RunningApp): Promise<Setting> {
  const service = own ?? (await shared.open());
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd "1"\n',
    type: 'TEXT',
  });
  return {
    ...service,
    datasetId: body.id,
    async upload(path, bytes) {
      const form = new FormData();
      form.append('files', new Blob([new Uint8Array(bytes)]), path);
      const answer = await service.api<{ id: string }[]>(
        'POST',
        `/data-management/datasets/${body.id}/files/upload`,
        form,
      );
      assert.equal(answer.status, 201);
      return answer.body[0]?.id ?? '';
    },
  };
}

/** Flips one bit in the middle of the stored `content`, wherever under the folder it is. */
async function damage(folder: string, content: Buffer): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const handle = await open(join(entry.parentPath, entry.name), 'r+');
    try {
      const at = (await handle.readFile()).indexOf(content);
      if (at === -1) continue;
      const middle = Math.floor(content.length / 2);
      await handle.write(Buffer.from([(content[middle] ?? 0) ^ 1]), 0, 1, at + middle);
      return;
    } finally {
      await handle.close();
    }
  }
  assert.fail('the content is not in the folder');
}

const large = Buffer.alloc(3_000_000, 'large content ');
const small = Buffer.alloc(5_000, 'small content ');

test('a damaged file is never served as a complete one, alone or in an archive; the rest stays readable', async (t) => {
  const { api, url, token, dataDir, datasetId, upload } = await openSetting(await startApp(t));
  const ids = {
    large: await upload('large.bin', large),
    small: await upload('small.bin', small),
    sound: await upload('sound.bin', Buffer.from('sound')),
  };
  await damage(join(dataDir, 'blobs'), large);
  await damage(join(dataDir, 'blobs'), small);
  const files = `/data-management/datasets/${datasetId}/files`;
  const ask = (path: string, headers = {}): Promise<Response> =>
    fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

  // A file that fits into the first piece fails before the headers are sent; a larger one breaks the connection.
  assert.equal((await ask(`${files}/${ids.small}/download`)).status, 500);
  const broken = await ask(`${files}/${ids.large}/download`);
  assert.equal(broken.status, 200);
  await assert.rejects(broken.arrayBuffer());
  await assert.rejects(ask(`${files}/download`).then((answer) => answer.arrayBuffer()));

  const sound = await api<Buffer>('GET', `${files}/${ids.sound}/download`);
  assert.equal(sound.body.toString(), 'sound');
  const part = await ask(`${files}/${ids.large}/download`, { range: 'bytes=0-99' });
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(large.subarray(0, 100)));
  assert.equal((await ask(`${files}/download?fileIds=${ids.sound}`)).status, 200);
});

test('uploaded pages and pictures never run in a browser', async () => {
  const { api, datasetId, upload } = await openSetting();
  for (const [name, type] of [
    ['page.html', 'text/html'],
    ['page.xhtml', 'application/xhtml+xml'],
    ['drawing.svg', 'image/svg+xml'],
    ['feed.xml', 'application/xml'],
    ['script.js', 'text/javascript'],
  ] as const) {
    const id = await upload(
      name,
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    );
    for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=0-1,4-5' }] as Record<string, string>[]) {
      const path = `/data-management/datasets/${datasetId}/files/${id}/download`;
      const answer = await api('GET', path, undefined, headers);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment;/);
      assert.equal(answer.headers.get('content-security-policy'), 'sandbox');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      if (headers.range !== 'bytes=0-1,4-5') assert.equal(answer.headers.get('content-type')?.split(';')[0], type);
    }
  }
});

test('an archive says its name, its type and what it left out', async () => {
  const { api, datasetId } = await openSetting();
  const path = `/data-management/datasets/${datasetId}/files/download`;
  const answer = await api('GET', path);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.equal(answer.headers.get('content-length'), '22');
  assert.equal(answer.headers.get('x-tilth-skipped-files'), '0');
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="d _1_.zip"; filename*=UTF-8''d%20%221%22.zip`,
  );
  const none = await api('GET', path, undefined, { authorization: '' });
  assert.equal(none.status, 401);
});
