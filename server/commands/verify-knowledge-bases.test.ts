import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { createKnowledgeBase } from '../../tests/support/knowledge-bases.ts';
import { startApp } from '../../tests/support/server.ts';
import type { StoredDataFinding } from '../stored-data.ts';
import { openDatabase, type DatabaseOptions } from '../storage/database/database.ts';
import { createLanceStore } from '../storage/vectors/index.ts';

const textOf = (field: string): string =>
  Array.from({ length: 20 }, (_, at) => `Sentence ${at} speaks of ${field}.`).join(' ');

async function verify(dataDir: string, where: DatabaseOptions, ...args: string[]) {
  const settings = { TILTH_DATA_DIR: dataDir, ...('url' in where ? { TILTH_DATABASE_URL: where.url } : {}) };
  const { code, stdout, stderr } = await runCommandHere(['verify', ...args], settings);
  assert.equal(stderr, '');
  return { code, output: stdout };
}

/** The findings, as kind and document. */
async function find(dataDir: string, where: DatabaseOptions): Promise<string[]> {
  const { output } = await verify(dataDir, where, '--json');
  const { findings } = JSON.parse(output) as { findings: StoredDataFinding[] };
  return findings
    .map((one) => {
      const index = 'index' in one ? `${one.index} ` : '';
      if (one.kind === 'content') return `${one.problem} ${one.documents.map((held) => held.holds).join()}`;
      if (one.kind === 'unknown-document-content') return `unknown ${one.document.documentName} ${one.document.holds}`;
      if (one.kind === 'indexed-chunks') return `${index}${one.documentName} ${one.rows} rows, ${one.distinct} chunks`;
      if (one.kind === 'document-chunks') return `${index}${one.documentName} ${one.chunks} of ${one.told} chunks`;
      if (one.kind === 'foreign-chunks') return `${index}${one.rows} foreign rows`;
      return one.kind;
    })
    .sort();
}

/** Polls until the answer is as wanted. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; ;) {
    const answer = await ask();
    if (isWanted(answer)) return;
    assert.ok(Date.now() < end, JSON.stringify(answer));
    await setTimeout(50);
  }
}

forAnyDatabase('verify compares the chunks in the database with both indexes', async (t, _open, options) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-verify-rag-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const where: DatabaseOptions = 'url' in options ? options : { file: join(dataDir, 'tilth.db') };
  const start = () => startApp(t, 'url' in where ? { database: where, dataDir } : { dataDir });
  const app = await start();
  const base = await createKnowledgeBase(app, { chunking: { strategy: 'SENTENCE', size: 40, overlap: 0 } });
  // The last file's text is stored separately, because it differs from the file by the byte order mark.
  await base.add({ 'a.txt': textOf('wheat'), 'b.txt': textOf('oats'), 'c.txt': `\uFEFF${textOf('rye')}` });
  await base.settled();
  await app.api('PUT', base.path, { chunking: { strategy: 'RECURSIVE', size: 200, overlap: 0 }, switch: 'MANUAL' });
  await until(
    async () => (await app.api<{ data: { rebuild: { status: string } | null } }>('GET', base.path)).body.data.rebuild,
    (rebuild) => rebuild?.status === 'READY',
  );
  const gone = await createKnowledgeBase(app);
  await gone.add({ 'gone.txt': textOf('maize') });
  await gone.settled();
  assert.equal((await app.api('DELETE', gone.path)).status, 204);
  assert.equal((await app.api('GET', gone.path)).status, 404);
  assert.deepEqual(await find(dataDir, where), [], 'beside the running service');

  const db = await openDatabase(where);
  t.after(() => db.close());
  const rowsOf = async (table: 'rag_disposals' | 'rag_documents' | 'rag_units') =>
    db.read.selectFrom(table).selectAll().execute();
  await until(
    () => rowsOf('rag_disposals'),
    (rows) => rows.length === 0,
  );
  assert.equal((await rowsOf('rag_documents')).length, 3, 'a deleted knowledge base leaves nothing');
  assert.equal((await rowsOf('rag_units')).length, 6);
  await app.close();

  const documents = await db.read.selectFrom('rag_documents').selectAll().orderBy('name').execute();
  const [a, b, c] = documents;
  const { index_id: current } = await db.read.selectFrom('knowledge_bases').selectAll().executeTakeFirstOrThrow();
  const { index_id: next } = await db.read.selectFrom('rag_rebuilds').selectAll().executeTakeFirstOrThrow();
  const store = createLanceStore({ directory: join(dataDir, 'vectors'), logger: { warn() {} } });
  const vector = new Float32Array(512).fill(1);
  const row = (unit: number | null | undefined, ordinal: number) => ({ unit: unit ?? 0, ordinal, words: 'x', vector });
  const inUse = await store.open(current, 512);
  // Damage: a duplicated chunk in place of another, a document without chunks, rows without a document, and an extra
  // chunk.
  await inUse.remove([a?.unit ?? 0, b?.unit ?? 0]);
  await inUse.add([...Array.from({ length: 19 }, (_, at) => row(a?.unit, at)), row(a?.unit, 3)]);
  await inUse.add([row(999, 0), row(999, 1)]);
  await (await store.open(next, 512)).add([row(c?.next_unit, 100)]);
  await store.close();
  const planted = [
    `CURRENT 2 foreign rows`,
    'CURRENT a.txt 20 rows, 19 chunks',
    'CURRENT b.txt 0 rows, 0 chunks',
    `NEXT c.txt ${(c?.next_chunks ?? 0) + 1} rows, ${(c?.next_chunks ?? 0) + 1} chunks`,
  ];
  assert.deepEqual(await find(dataDir, where), planted);

  const again = await start();
  await until(
    () => find(dataDir, where),
    (found) => found.length === 0,
  );
  const { body } = await again.api<{ data: { hits: object[] } }>('POST', `${base.path}/search`, { query: 'oats' });
  assert.ok(body.data.hits.length > 0);
  await again.close();

  await db.write(async (tx) => {
    const text = c?.text_blob_id ?? '';
    await tx.deleteFrom('blobs').where('id', '=', text).execute();
    await tx
      .updateTable('blobs')
      .set({ refs: 0 })
      .where('id', '=', b?.text_blob_id ?? '')
      .execute();
    await tx
      .deleteFrom('rag_chunks')
      .where('unit', '=', a?.unit ?? 0)
      .where('chunk_no', '=', 19)
      .execute();
  });
  assert.deepEqual(await find(dataDir, where), [
    'CURRENT a.txt 19 of 20 chunks',
    'CURRENT a.txt 20 rows, 20 chunks',
    'references',
    'unknown c.txt TEXT',
  ]);
  const { code, output } = await verify(dataDir, where);
  assert.equal(code, 1);
  assert.match(output, /chunks +19 chunks are stored, the document records 20\n +document a\.txt .*index in use/);
  await rm(join(dataDir, 'blobs', 'packs'), { recursive: true });
  const { output: without } = await verify(dataDir, where);
  assert.match(without, /missing .*\n +the (file|text) of document a\.txt/);
});

test('a restored backup is whole before its indexes are made again, and afterwards', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tilth-verify-restored-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [dataDir, target, backups] = ['data', 'trial', 'backups'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const app = await startApp(t, { dataDir });
  const base = await createKnowledgeBase(app);
  await base.add({ 'a.txt': textOf('wheat'), 'b.txt': textOf('oats') });
  await base.settled();
  await app.close();
  const command = async (folder: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runCommandHere(args, { TILTH_DATA_DIR: folder });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  await command(dataDir, 'backup', backups);
  await command(target, 'restore', backups);
  const restored = await command(target, 'verify');
  assert.match(restored, /^restored +1 indexes of knowledge bases will be rebuilt when the service starts$/m);
  assert.match(restored, /no problems\n$/);

  await copyFile(join(dataDir, 'secrets.key'), join(target, 'secrets.key'));
  const again = await startApp(t, { dataDir: target });
  await until(
    () => command(target, 'verify'),
    (output) => !output.includes('restored'),
  );
  const { body } = await again.api<{ data: { hits: object[] } }>('POST', `${base.path}/search`, { query: 'oats' });
  assert.ok(body.data.hits.length > 0);
  await again.close();
  assert.match(await command(target, 'verify'), /no problems\n$/);
  await rm(join(target, 'vectors'), { recursive: true });
  const { code } = await runCommandHere(['verify'], { TILTH_DATA_DIR: target });
  assert.equal(code, 1, 'an index that is lost later is a problem');
});
