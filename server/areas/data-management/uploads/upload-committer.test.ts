import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../../tests/support/server.ts';

// Each refusal lets the next writer of the file try its commit, just when the group before it ends.
test('writers whose commits are refused one after the other are all answered', { timeout: 120_000 }, async (t) => {
  const { api } = await startApp(t);
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const base = `/data-management/datasets/${dataset.id}/files`;
  await api('POST', `${base}/directories`, { parentPrefix: '', directoryName: 'folder' });
  for (let round = 0; round < 5; round += 1) {
    const { body: reqId } = await api<string>('POST', `${base}/upload/pre-upload`, { totalFileNum: 1, totalSize: 9 });
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const form = new FormData();
        const fields = { reqId, fileNo: 1, fileName: 'folder', totalChunkNum: 1, chunkNo: 1 };
        for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
        form.set('file', new Blob(['bytes']), 'blob');
        return (await api('POST', `${base}/upload/chunk`, form)).status;
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([409]));
  }
});
