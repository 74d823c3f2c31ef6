// The whole service over an object store, as users see it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listStoredFiles, patternBytes } from './support/blobs.ts';
import { runCommandHere } from './support/commands-here.ts';
import { forAnyDatabase } from './support/databases.ts';
import { startFaultyS3 } from './support/faulty-s3.ts';
import { newPlace, beginUpload, type Chunk, download, findFile } from './support/object-storage.ts';
import { runCommand, startApp, startProcess, testSecretsKey } from './support/server.ts';
import { isLongRun, longTestWith } from './support/long-tests.ts';
import { testWith } from './support/tools.ts';
import { sharedS3, versitygw } from './support/versitygw.ts';

const mebibyte = 1024 * 1024;

const rows = Array.from(
  { length: 60_000 },
  (_, index) => `{"id":${index},"text":"  Rye is  sown in row ${index}  "}\n`,
).join('');
const chunkBytes = 9 * mebibyte;
const large = [patternBytes(1, chunkBytes), patternBytes(2, chunkBytes), patternBytes(3, 1234)];

forAnyDatabase(
  'files are stored, read, processed and verified in an object store, and the data folder has none of them',
  async (t, _open, database) => {
    const { settings, directory, url } = await newPlace();
    const service = await startApp(t, { settings, database });
    const send = await beginUpload(service, 22, chunkBytes);
    for (const chunkNo of [3, 1, 2]) {
      const bytes = large[chunkNo - 1] ?? Buffer.alloc(0);
      const { status, body } = await send({ fileNo: 1, fileName: 'large.bin', totalChunkNum: 3, chunkNo, bytes });
      assert.equal(status, 200, JSON.stringify(body));
    }
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const fields = { fileNo: 2 + index, fileName: `small-${index}.txt`, totalChunkNum: 1, chunkNo: 1 };
        const { status, body } = await send({ ...fields, bytes: patternBytes(index, 900) });
        assert.equal(status, 200, JSON.stringify(body));
      }),
    );
    const table = { fileNo: 22, fileName: 'rows.jsonl', totalChunkNum: 1, chunkNo: 1, bytes: Buffer.from(rows) };
    assert.equal((await send(table)).status, 200);

    const whole = Buffer.concat(large);
    assert.ok((await download(service)).bytes.equals(whole));
    const part = await download(service, 'bytes=9437000-9437999');
    assert.equal(part.status, 206);
    assert.ok(part.bytes.equals(whole.subarray(9_437_000, 9_438_000)));
    assert.ok((await listStoredFiles(directory, 'packs')).length < 20, 'small files share objects');

    const { datasetId } = await findFile(service, 'rows.jsonl');
    const { body: task } = await service.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'Clean rye',
      sourceDatasetId: datasetId,
      steps: [{ operatorId: 'whitespace-normalizer' }],
    });
    const runs = `/data-cleaning/tasks/${task.data.id}`;
    const { body: run } = await service.api<{ data: { id: string } }>('POST', `${runs}/execute`, {});
    for (;;) {
      const { body } = await service.api<{ data: { status: string; counts: Record<string, number> } }>(
        'GET',
        `${runs}/runs/${run.data.id}`,
      );
      if (['QUEUED', 'RUNNING'].includes(body.data.status)) {
        await pause(50);
        continue;
      }
      assert.equal(body.data.status, 'COMPLETED', JSON.stringify(body));
      // Non-text files fail.
      const { in: read, kept, failed } = body.data.counts;
      assert.deepEqual([read, kept, failed], [60_021, 60_000, 21]);
      break;
    }
    const stored = await readdir(service.dataDir, { recursive: true });
    assert.deepEqual(
      stored.filter((name) => /^blobs[/]/.test(name)),
      [],
    );
    const env = {
      ...settings,
      TILTH_DATA_DIR: service.dataDir,
      ...('url' in database ? { TILTH_DATABASE_URL: database.url } : {}),
    };
    const sound = await runCommandHere(['verify'], env);
    assert.equal(sound.code, 0, sound.stdout + sound.stderr);

    const backup = await runCommandHere(['backup', join(service.dataDir, '..', `backup-${randomUUID()}`)], env);
    assert.equal(backup.code, 2);
    assert.match(backup.stderr, /the files of this installation are in s3:\/\/.*docs\/object-storage\.md/);
    await service.close();

    const files = await listStoredFiles(directory, 'files');
    const path = join(directory, files.toSorted()[0] ?? '');
    const file = await open(path, 'r+');
    await file.write(Buffer.from('weeds'), 0, 5, 100);
    await file.close();
    const damaged = await runCommandHere(['verify', '--json'], env);
    assert.equal(damaged.code, 1, damaged.stderr);
    const { findings } = JSON.parse(damaged.stdout) as { findings: { kind: string; problem: string }[] };
    assert.deepEqual(
      findings.map(({ kind, problem }) => [kind, problem]),
      [['content', 'damaged']],
    );

    // The folder belongs only to this database, and the database to the folder.
    const other = await runCommandHere(['serve'], {
      ...settings,
      TILTH_PORT: '0',
      TILTH_DATA_DIR: join(service.dataDir, 'other'),
    });
    assert.equal(other.code, 1);
    assert.match(other.stderr, /^tilth: .* belongs to another installation/m);
    const { TILTH_STORAGE_URL: _, ...withoutUrl } = env as Record<string, string>;
    const inFolder = await runCommandHere(['serve'], {
      ...withoutUrl,
      TILTH_PORT: '0',
      TILTH_SECRETS_KEY: testSecretsKey,
    });
    assert.equal(inFolder.code, 1);
    assert.match(
      inFolder.stderr,
      new RegExp(`^tilth: the files of this installation are in ${url}: set TILTH_STORAGE_URL`, 'm'),
    );
    const moved = await runCommandHere(['serve'], {
      ...env,
      TILTH_STORAGE_URL: `${url}-elsewhere`,
      TILTH_PORT: '0',
      TILTH_SECRETS_KEY: testSecretsKey,
    });
    assert.equal(moved.code, 1);
    assert.match(moved.stderr, /^tilth: .* has none of the files of this installation/m);
  },
  [versitygw],
);

longTestWith(
  [versitygw],
  'killed in the midst of an upload: what was acknowledged is there, and the upload is resumed',
  async (t) => {
    const { settings } = await newPlace();
    const service = await startProcess(t, { settings });
    const send = await beginUpload(service, 1, chunkBytes);
    const chunk = (chunkNo: number): Chunk => ({
      fileNo: 1,
      fileName: 'large.bin',
      totalChunkNum: 3,
      chunkNo,
      bytes: large[chunkNo - 1] ?? Buffer.alloc(0),
    });
    assert.equal((await send(chunk(2))).status, 200);
    // Killed at some moment during the next chunk: before, while or after its parts are sent.
    for (const afterMs of [5, 40, 90]) {
      const sent = send(chunk(1)).then(
        ({ status }) => status,
        () => 'cut',
      );
      await pause(afterMs);
      await service.kill();
      const outcome = await sent;
      await service.restart();
      const again = await send(chunk(2));
      assert.equal(again.status, 200, 'the acknowledged chunk was kept');
      if (outcome === 200) assert.equal((await send(chunk(1))).status, 200);
    }
    for (const chunkNo of [1, 3]) assert.equal((await send(chunk(chunkNo))).status, 200);
    assert.ok((await download(service)).bytes.equals(Buffer.concat(large)));
    await service.kill();
    const verified = await runCommandHere(['verify'], { ...settings, TILTH_DATA_DIR: service.dataDir });
    assert.equal(verified.code, 0, verified.stdout);
  },
);

testWith(
  [versitygw],
  'while the object store fails, calls are told 503 with a code, and /readyz says so',
  async (t) => {
    const proxy = await startFaultyS3(t, (await sharedS3()).endpoint);
    const { settings } = await newPlace(proxy.endpoint);
    const service = await startApp(t, { settings });
    const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
    const send = await beginUpload(service, 2, undefined);
    const chunk = { fileNo: 1, fileName: 'large.bin', totalChunkNum: 1, chunkNo: 1, bytes: patternBytes(1, 5000) };
    assert.equal((await send(chunk)).status, 200);
    assert.equal(await ready(), 200);
    proxy.decide = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
    assert.equal(await ready(), 503);
    const refused = await send({ ...chunk, fileNo: 2, fileName: 'late.bin' });
    assert.deepEqual([refused.status, refused.body.error], [503, 'OBJECT_STORE_UNAVAILABLE']);
    proxy.decide = () => undefined;
    assert.equal(await ready(), 200);
    assert.equal((await send({ ...chunk, fileNo: 2, fileName: 'late.bin' })).status, 200);
    assert.ok((await download(service)).bytes.equals(patternBytes(1, 5000)));
  },
);

testWith([versitygw], 'a start that the object store does not allow is one clear line', async (t) => {
  const { settings, server } = await newPlace();
  const dataDir = join(server.folder, '..', `nowhere-${randomUUID()}`);
  const cases: readonly (readonly [env: Record<string, string>, code: number, message: RegExp])[] = [
    [
      { AWS_SECRET_ACCESS_KEY: 'wrong' },
      1,
      /refuses this service \(SignatureDoesNotMatch\): check the bucket, its region and the credentials/,
    ],
    ...(isLongRun
      ? ([[{ AWS_ACCESS_KEY_ID: 'nobody' }, 1, /refuses this service \(XAdminUserNotFound\)/]] as const)
      : []),
    [{ TILTH_STORAGE_URL: 's3://no-such-bucket/x' }, 1, /refuses this service \(NoSuchBucket\)/],
    [
      { TILTH_STORAGE_ENDPOINT: 'http://127.0.0.1:1' },
      1,
      /cannot be used \(ECONNREFUSED\); check TILTH_STORAGE_ENDPOINT/,
    ],
    [{ TILTH_STORAGE_URL: 'bucket/x' }, 2, /TILTH_STORAGE_URL must be s3:\/\/bucket or s3:\/\/bucket\/folder/],
    [{ TILTH_STORAGE_ENDPOINT: 'localhost' }, 2, /TILTH_STORAGE_ENDPOINT must be an http:\/\/ or https:\/\/ URL/],
  ];
  for (const [index, [env, code, message]] of cases.entries()) {
    const folder = `${dataDir}-${index}`;
    const given = {
      ...settings,
      TILTH_DATA_DIR: folder,
      TILTH_PORT: '0',
      TILTH_DISK_RESERVE_MB: '0',
      ...env,
    };
    // Credentials come from the process's environment.
    const hasOthers = Object.keys(env).some((name) => name.startsWith('AWS_'));
    const told = hasOthers ? await outcomeOf(runCommand(['serve'], given)) : await runCommandHere(['serve'], given);
    assert.equal(told.code, code, told.stderr);
    const lines = told.stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');
    assert.equal(lines.length, 1, told.stderr);
    assert.match(lines[0] ?? '', message);
    assert.doesNotMatch(told.stderr, /tilth-test-secret/);
  }
  // A data folder with files of its own can not be switched to an object store.
  const service = await startApp(t, {});
  const send = await beginUpload(service, 1, undefined);
  assert.equal(
    (await send({ fileNo: 1, fileName: 'a.txt', totalChunkNum: 1, chunkNo: 1, bytes: Buffer.from('rye') })).status,
    200,
  );
  const told = await runCommandHere(['verify'], { ...settings, TILTH_DATA_DIR: service.dataDir });
  assert.equal(told.code, 2);
  assert.match(told.stderr, /the files of this installation are in its data folder, not in s3:/);
});

async function outcomeOf({ exited, output }: ReturnType<typeof runCommand>) {
  const code = await exited;
  return { code, ...output };
}
