import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { patternBytes } from '../../tests/support/blobs.ts';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { startApp, type RunningApp } from '../../tests/support/server.ts';
import { putFiles } from '../../tests/support/stored-files.ts';
import type { StoredDataFinding, VerifiedData } from '../stored-data.ts';
import { createVerification } from '../areas/data-management/index.ts';
import { openDatabase, type DatabaseOptions } from '../storage/database/database.ts';

type Report = { findings: StoredDataFinding[]; verified: VerifiedData; problems: number };

const data = '/data-management/datasets';

/** The report of `verify --json` on a data folder. */
async function verify(dataDir: string, options: DatabaseOptions, ...args: string[]) {
  const settings = { TILTH_DATA_DIR: dataDir, ...('url' in options ? { TILTH_DATABASE_URL: options.url } : {}) };
  const { code, stdout, stderr } = await runCommandHere(['verify', '--json', ...args], settings);
  assert.equal(stderr, '');
  return { code, ...(JSON.parse(stdout) as Report) };
}

async function newDataset({ api }: RunningApp, name: string): Promise<string> {
  return (await api<{ id: string }>('POST', data, { name, type: 'TEXT' })).body.id;
}

async function sendChunks(app: RunningApp, datasetId: string, chunkNos: readonly number[]): Promise<string> {
  const base = `${data}/${datasetId}/files/upload`;
  const announced = { totalFileNum: 1, totalSize: 400_000, chunkSize: 100_000 };
  const { body: reqId } = await app.api<string>('POST', `${base}/pre-upload`, announced);
  for (const chunkNo of chunkNos) {
    const form = new FormData();
    const fields = { reqId, fileNo: 7, fileName: 'half.bin', totalChunkNum: 4, chunkNo };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([Uint8Array.from(patternBytes(chunkNo, 100_000))]), 'blob');
    assert.equal((await app.api('POST', `${base}/chunk`, form)).status, 200);
  }
  return reqId;
}

async function flipBit(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, position);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 16]), 0, 1, position);
  await file.close();
}

forAnyDatabase('verify finds nothing in what is whole, and every damage with its file', async (t, _open, options) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-verify-'));
  t.after(() => rm(dataDir, { recursive: true }));
  // A SQLite file is where the service expects it.
  const where: DatabaseOptions = 'url' in options ? options : { file: join(dataDir, 'tilth.db') };
  const app = await startApp(t, 'url' in where ? { database: where, dataDir } : { dataDir });
  const { api } = app;
  const whole = await newDataset(app, 'whole');
  const hurt = await newDataset(app, 'hurt');
  await putFiles(app, whole, { 'a/b/one.txt': patternBytes(1, 3000), 'empty.txt': Buffer.alloc(0) });
  const [small, large, replaced] = await putFiles(app, hurt, {
    'x/small.txt': patternBytes(2, 5000),
    'x/large.bin': patternBytes(3, 3_000_000),
    'replaced.bin': patternBytes(4, 2_000_000),
  });
  await putFiles(app, hurt, { 'replaced.bin': patternBytes(5, 1_500_000) });
  await api('POST', `${data}/${hurt}/files/directories`, { parentPrefix: 'x', directoryName: 'empty' });
  await putFiles(
    app,
    hurt,
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`gone/${n}.txt`, Buffer.from('x')])),
  );
  await api('DELETE', `${data}/${hurt}/files/directories?path=gone`);
  await sendChunks(app, hurt, [1, 3, 4]);

  await t.test('beside the running service', async () => {
    const { code, findings, verified, problems } = await verify(dataDir, where);
    assert.deepEqual([code, findings, problems], [0, [], 0]);
    assert.equal(verified.datasets, 2);
    assert.equal(verified.chunks, 3);
    assert.ok(verified.blobs >= 6 && verified.bytes > 6_800_000, JSON.stringify(verified));
  });
  await app.close();

  const db = await openDatabase(where);
  t.after(() => db.close());
  const placeOf = async (fileId: string, addedVersion: number) => {
    const row = await db.read
      .selectFrom('files')
      .innerJoin('blobs', 'blobs.id', 'files.blob_id')
      .selectAll('blobs')
      .where('file_id', '=', fileId)
      .where('added_version', '=', addedVersion)
      .executeTakeFirstOrThrow();
    const folder = row.kind === 'pack' ? 'packs' : join('files', row.object_id.slice(-2));
    return { ...row, path: join(dataDir, 'blobs', folder, row.object_id) };
  };
  const smallPlace = await placeOf(small ?? '', 2);
  assert.equal(smallPlace.kind, 'pack');
  await flipBit(smallPlace.path, smallPlace.object_offset + 4999);
  await truncate((await placeOf(large ?? '', 2)).path, 2_999_999);
  await rm((await placeOf(replaced ?? '', 2)).path);
  const assembly = await db.read.selectFrom('assemblies').selectAll().executeTakeFirstOrThrow();
  await flipBit(join(dataDir, 'blobs', 'files', assembly.id.slice(-2), assembly.id), 250_000);
  const leftover = join(dirname((await placeOf(large ?? '', 2)).path), 'leftover');
  await (await open(leftover, 'w')).close();

  await t.test('damaged bytes, of old versions and unfinished uploads, too', async () => {
    const { code, findings, verified, problems } = await verify(dataDir, where);
    assert.deepEqual([code, problems, verified.leftovers], [1, 4, { files: 1, bytes: 0 }]);
    const told = findings.map((finding) => {
      if (finding.kind === 'content') {
        const [user] = finding.files;
        assert.equal(user?.datasetId, hurt);
        return [finding.problem, user.filePath, user.addedVersion, user.endedVersion, finding.files.length];
      }
      return finding.kind === 'chunk' ? [finding.problem, finding.upload?.fileName, finding.chunkNo] : [finding.kind];
    });
    assert.deepEqual(
      new Set(told.map((item) => JSON.stringify(item))),
      new Set([
        '["damaged","x/small.txt",2,null,1]',
        '["truncated","x/large.bin",2,null,1]',
        '["missing","replaced.bin",2,3,1]',
        '["damaged","half.bin",3]',
      ]),
    );
    const large = findings.find((finding) => finding.kind === 'content' && finding.problem === 'truncated');
    assert.ok(large?.kind === 'content' && large.place.sizeBytes === 3_000_000 && large.place.path.startsWith(dataDir));
    assert.deepEqual((await verify(dataDir, where, '--dataset', whole)).findings, []);
    assert.equal((await verify(dataDir, where, '--dataset', hurt)).problems, 4);
  });

  const verificationOf = (holdings: Partial<Parameters<typeof createVerification>[0]['holdings']>) =>
    createVerification({
      db,
      directory: join(dataDir, 'blobs'),
      holdings: {
        listHolders: async () => [],
        listDocuments: async () => [],
        findInNotes: async () => [],
        listRunsOf: async () => [],
        listReferences: async () => [],
        ...holdings,
      },
    });

  await t.test('what a running service releases between two readings', async () => {
    const { blob_id: blobId } = await db.read
      .selectFrom('files')
      .select('blob_id')
      .where('dataset_id', '=', whole)
      .where('blob_id', 'is not', null)
      .executeTakeFirstOrThrow();
    assert.ok(blobId !== null);
    const findWith = async (isHeld: (reading: number) => boolean) => {
      let readings = 0;
      const { verify: verifyHere } = verificationOf({
        listRunsOf: async () => ['a run'],
        listReferences: async ({ afterId }) =>
          afterId === '' && isHeld(readings++) ? [{ blobId, references: 1 }] : [],
      });
      const kinds: string[] = [];
      for await (const { kind } of verifyHere({ datasetId: whole })) kinds.push(kind);
      return kinds;
    };
    // The check of contents reads the same list first.
    assert.deepEqual(await findWith((reading) => reading <= 1), []);
    assert.deepEqual(await findWith(() => true), ['references']);
  });

  await t.test('bytes that nothing refers to', async () => {
    const kept = async () =>
      (await verify(dataDir, where)).findings.flatMap((one) => (one.kind === 'unheld' ? [one] : []));
    assert.deepEqual(await kept(), []);
    const before = (await verify(dataDir, where)).verified.leftovers;
    const { blob_id: blobId } = await db.write((tx) =>
      tx.deleteFrom('files').where('path', '=', 'x/small.txt').returning('blob_id').executeTakeFirstOrThrow(),
    );
    await db.write((tx) => tx.updateTable('upload_files').set({ assembly_id: null }).execute());
    assert.deepEqual(
      (await kept()).map(({ of, id, sizeBytes }) => ({ of, id, sizeBytes })),
      [
        { of: 'BLOB', id: blobId, sizeBytes: 5000 },
        { of: 'CHUNKS', id: assembly.id, sizeBytes: 300_000 },
      ],
    );
    const { blob_id: erased } = await db.write((tx) =>
      tx.deleteFrom('files').where('path', '=', 'x/large.bin').returning('blob_id').executeTakeFirstOrThrow(),
    );
    await db.write((tx) => tx.updateTable('blobs').set({ refs: 0 }).where('id', '=', erased).execute());
    const { leftovers } = (await verify(dataDir, where)).verified;
    assert.deepEqual(leftovers, { files: before.files + 1, bytes: before.bytes + 3_000_000 });
    assert.equal((await kept()).length, 2, 'what is about to be erased is no problem');
  });

  await t.test('rows and counters', async () => {
    const { verify: verifyHere } = verificationOf({});
    const counters = async () => {
      const told: string[] = [];
      for await (const finding of verifyHere({ datasetId: whole }))
        told.push(
          finding.kind === 'counter'
            ? `${finding.counter} ${finding.of}: ${finding.stored} ${finding.counted}`
            : finding.kind,
        );
      return told;
    };
    const wrong: readonly [what: () => Promise<unknown>, told: RegExp][] = [
      [
        () => db.write((tx) => tx.updateTable('datasets').set({ file_count: 3 }).where('id', '=', whole).execute()),
        /^fileCount : 3 2$/,
      ],
      [
        () => db.write((tx) => tx.deleteFrom('dataset_counts').where('dataset_id', '=', whole).execute()),
        /^statistics.fileCount txt COMPLETED: 0 2$/,
      ],
      [
        () =>
          db.write((tx) =>
            tx
              .updateTable('folders')
              .set({ total_size_bytes: 1 })
              .where('dataset_id', '=', whole)
              .where('path', '=', 'a')
              .execute(),
          ),
        /^folder.totalSize a: 1 3000$/,
      ],
      [
        () =>
          db.write((tx) =>
            tx
              .updateTable('versions')
              .set({ file_count: 9 })
              .where('dataset_id', '=', whole)
              .where('version', '=', 1)
              .execute(),
          ),
        /^version.fileCount version 1: 9 0$/,
      ],
      [
        () =>
          db.write((tx) =>
            tx
              .updateTable('file_buckets')
              .set({ file_count: 7 })
              .where('dataset_id', '=', whole)
              .where('level', '=', 1)
              .where('file_type', '=', 'txt')
              .execute(),
          ),
        /^rankAnchor.fileCount level 1 from "" txt \/: 7 2$/,
      ],
      [
        () => db.write((tx) => tx.deleteFrom('file_buckets').where('dataset_id', '=', whole).execute()),
        /^rankAnchor.files level 0: 0 2$/,
      ],
      [
        () => db.write((tx) => tx.updateTable('blobs').set({ refs: 0 }).where('size_bytes', '=', 3000).execute()),
        /^references$/,
      ],
      [() => db.write((tx) => tx.deleteFrom('blobs').where('size_bytes', '=', 3000).execute()), /^unknown-content$/],
    ];
    for (const [harm, told] of wrong) {
      await harm();
      const found = await counters();
      assert.ok(
        found.some((text) => told.test(text)),
        `${String(told)} is not in ${found.join('; ')}`,
      );
    }
  });
});

test('verify tells people what is wrong, and calls wrongly made from damage', async (t) => {
  const app = await startApp(t);
  const id = await newDataset(app, 'told');
  await putFiles(app, id, { 'a.bin': patternBytes(1, 1_200_000) });
  const run = (dataDir: string, ...args: string[]) => runCommandHere(['verify', ...args], { TILTH_DATA_DIR: dataDir });
  const well = await run(app.dataDir);
  assert.equal(well.code, 0);
  assert.match(well.stdout, /^verified +1 blobs [^]*\nresult +no problems\n$/);
  const files = join(app.dataDir, 'blobs', 'files');
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await flipBit(join(entry.parentPath, entry.name), 1_000_000);
  const ill = await run(app.dataDir);
  assert.equal(ill.code, 1);
  assert.match(
    ill.stdout,
    /^damaged +\S+, 1200000 bytes from 0\n +a\.bin \(file \S+\) of dataset told \(\S+\), version 2 on\n/,
  );
  assert.match(ill.stdout, /\nresult +1 problems\n$/);

  const refused: readonly [args: string[], message: RegExp][] = [
    [['--nonsense'], /nonsense/],
    [['x'], /x/],
    [['--dataset', 'unknown'], /unknown does not exist/],
  ];
  for (const [args, message] of refused) {
    const { code, stdout, stderr } = await run(app.dataDir, ...args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }
  const nowhere = await run(join(app.dataDir, 'nowhere'));
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /nothing has been stored there yet/);
});
