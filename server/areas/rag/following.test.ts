import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { templates } from '../../../tests/support/template-databases.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { ragDocument } from '../../../tests/support/rag-documents.ts';
import { newId } from '../../kernel/ids.ts';
import { hashEmbedding } from '../../models/index.ts';
import { openDatabase, type Database } from '../../storage/database/database.ts';
import { noSignals } from '../../storage/database/signals.ts';
import { createLanceStore } from '../../storage/vectors/index.ts';
import { createFollowing } from './following.ts';
import { createIndexCopies } from './index-copies.ts';
import { insertDocuments, updateDocument } from './queries/documents.ts';
import { findCurrentIndex, findNextIndex, type RagIndex } from './queries/indexes.ts';
import { insertKnowledgeBase } from './queries/knowledge-bases.ts';
import { createRebuilds } from './rebuilds.ts';
import { createReconciliation } from './reconciliation.ts';
import { storeUnit } from './unit-building.ts';
import { createUnitCopying } from './unit-copying.ts';
import { lockTarget } from './building.ts';

/** A knowledge base that another process adds documents to, and a node that follows it. */
async function openFollower(t: TestContext, { waitMs = 60_000, intervalMs = 60_000 } = {}) {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const db = await openDatabase({ url });
  const directory = await mkdtemp(join(tmpdir(), 'tilth-follow-'));
  const logger = { info() {}, warn() {}, error: (details: object) => assert.fail(JSON.stringify(details)) };
  const vectors = createLanceStore({ directory, logger });
  const copies = createIndexCopies();
  /** Holds back the copying of units until opened. */
  const gate = { opened: Promise.resolve() };
  const copying = createUnitCopying({
    db,
    blobs: { open: () => assert.fail('nothing was paid for') },
    models: {
      async embed(_, texts) {
        await gate.opened;
        return { vectors: texts.map((text) => hashEmbedding(text)) } as never;
      },
    },
  });
  const reconciliation = createReconciliation({ db, vectors, copies, copying, isFollowing: true, intervalMs, logger });
  const following = createFollowing({
    db,
    vectors,
    copies,
    copying,
    reconciliation,
    signals: noSignals,
    waitMs,
    logger,
  });
  t.after(async () => {
    await following.stop();
    await reconciliation.stop();
    await vectors.close();
    await db.close();
    await drop();
    await rm(directory, { recursive: true, force: true });
  });
  const id = newId();
  const base = { id, name: id, description: '', embedding_model: 'builtin:hash-512', index_id: newId() };
  const made = { created_at: '', created_by: 'admin', updated_at: '' };
  const chunking = '{"strategy":"SENTENCE","size":40,"overlap":0}';
  await db.write((tx) =>
    insertKnowledgeBase(tx, { ...base, ...made, dimensions: 512, last_unit: 0, found_revision: 0, chunking }),
  );

  /** Mimics the last transactions of an ingest run: stores the chunks, then makes the document searchable. */
  async function makeFound(index: RagIndex, documentId: string): Promise<void> {
    const document = { id: documentId } as never;
    const chunk = { text: `Marker ${documentId}`, start: 0, end: 1, page: null, headings: [] };
    const { unit } = await db.write(async (tx) => {
      await lockTarget(tx, { index, document });
      return storeUnit(tx, { index, document }, { chunks: [chunk], vectors: undefined });
    });
    await db.write(async (tx) => {
      await lockTarget(tx, { index, document });
      const number = await following.numberFound(tx, index);
      const names = index.unitColumn === 'unit' ? { unit, chunks: 1 } : { next_unit: unit, next_chunks: 1 };
      await updateDocument(tx, documentId, { ...names, ...number });
    });
  }

  async function addDocument(): Promise<string> {
    const documentId = newId();
    const row = ragDocument({
      id: documentId,
      knowledge_base_id: id,
      name: documentId,
      blob_id: 'none',
      status: 'COMPLETED',
    });
    await db.write((tx) => insertDocuments(tx, [row]));
    return documentId;
  }

  async function unitsOf(index: RagIndex): Promise<number[]> {
    return [...(await (await vectors.open(index.indexId, 512)).countByUnit()).keys()];
  }

  return { db, id, gate, following, reconciliation, copies, makeFound, addDocument, unitsOf };
}

async function current(db: Database, id: string): Promise<RagIndex> {
  const index = await findCurrentIndex(db.read, id);
  assert.ok(index);
  return index;
}

async function foundUpTo(db: Database, { knowledgeBaseId, foundRevision }: RagIndex): Promise<number[]> {
  const rows = await db.read
    .selectFrom('rag_documents')
    .select('unit')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('found_revision', '<=', foundRevision)
    .where('unit', 'is not', null)
    .execute();
  return rows.flatMap(({ unit }) => unit ?? []);
}

testWith(
  [postgres],
  'a copy has all that was found when the index was read, while others commit at once',
  async (t) => {
    const { db, id, following, makeFound, addDocument, unitsOf } = await openFollower(t);
    const index = await current(db, id);
    const ids = await Promise.all(Array.from({ length: 60 }, addDocument));
    const state = { isDone: false };
    const committing = Promise.all(
      [0, 1, 2, 3].map(async (lane) => {
        for (const documentId of ids.filter((_, at) => at % 4 === lane)) await makeFound(index, documentId);
      }),
    ).finally(() => (state.isDone = true));
    let looks = 0;
    for (let isLast = false; !isLast; looks += 1) {
      isLast = state.isDone;
      const seen = await current(db, id);
      const [behind] = await Promise.all([following.catchUp(seen), following.catchUp(seen)]);
      assert.equal(behind, 0);
      const copied = await unitsOf(seen);
      assert.equal(new Set(copied).size, copied.length);
      const missing = (await foundUpTo(db, seen)).filter((unit) => !copied.includes(unit));
      assert.deepEqual(missing, [], `up to ${seen.foundRevision}`);
    }
    await committing;
    assert.equal((await unitsOf(index)).length, 60);
    assert.ok(looks > 2, String(looks));
  },
);

testWith([postgres], 'a search that would wait too long says how many documents it misses', async (t) => {
  const { db, id, gate, following, makeFound, addDocument, unitsOf } = await openFollower(t, { waitMs: 30 });
  const index = await current(db, id);
  await following.catchUp(index);
  for (let number = 0; number < 3; number += 1) await makeFound(index, await addDocument());
  const opening = Promise.withResolvers<void>();
  gate.opened = opening.promise;
  const seen = await current(db, id);
  assert.equal(await following.catchUp(seen), 3);
  opening.resolve();
  while ((await following.catchUp(seen)) > 0);
  assert.equal((await unitsOf(index)).length, 3);
});

testWith([postgres], 'a switch while the index of a rebuild is followed loses nothing', async (t) => {
  const { db, id, gate, following, makeFound, addDocument, unitsOf } = await openFollower(t);
  const rebuilds = createRebuilds({
    db,
    clock: { now: () => new Date() },
    runs: { enqueue: async () => undefined as never, wake() {} },
    keptDays: 0,
    onDisposal() {},
  });
  const before = await current(db, id);
  const ids = [await addDocument(), await addDocument(), await addDocument()];
  for (const documentId of ids) await makeFound(before, documentId);
  await db.write(async (tx) => {
    const base = await tx.selectFrom('knowledge_bases').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const wanted = {
      embeddingModel: 'builtin:hash-512',
      chunking: '{"size":80}',
      switch: 'MANUAL',
      by: 'admin',
    } as const;
    await rebuilds.begin(tx, base, wanted);
    await tx.updateTable('rag_rebuilds').set({ dimensions: 512, status: 'READY' }).execute();
  });
  const next = await findNextIndex(db.read, id);
  assert.ok(next);
  await makeFound(next, ids[0] ?? '');
  const first = await findNextIndex(db.read, id);
  assert.ok(first);
  assert.equal(await following.catchUp(first), 0);
  assert.equal((await unitsOf(next)).length, 1);
  for (const documentId of ids.slice(1)) await makeFound(next, documentId);
  // The switch happens while it is following.
  const opening = Promise.withResolvers<void>();
  gate.opened = opening.promise;
  const last = await findNextIndex(db.read, id);
  assert.ok(last);
  const caught = following.catchUp(last);
  await rebuilds.switchNow(id);
  opening.resolve();
  await caught;
  const after = await current(db, id);
  assert.equal(after.indexId, next.indexId);
  assert.equal(await following.catchUp(after), 0);
  assert.deepEqual(new Set(await unitsOf(after)), new Set(await foundUpTo(db, after)));
  assert.equal((await unitsOf(after)).length, 3);
});

testWith([postgres], 'a copy that nobody told agrees with the database after a while', async (t) => {
  const { db, id, following, reconciliation, makeFound, addDocument, unitsOf } = await openFollower(t, {
    intervalMs: 30,
  });
  const index = await current(db, id);
  const [kept, deleted] = [await addDocument(), await addDocument()];
  for (const documentId of [kept, deleted]) await makeFound(index, documentId);
  assert.equal(await following.catchUp(await current(db, id)), 0);
  const before = await unitsOf(index);
  assert.equal(before.length, 2);
  const without = await addDocument();
  await makeFound(index, without);
  await db.write(async (tx) => {
    // As an earlier release does.
    await updateDocument(tx, without, { found_revision: 0 });
    await tx.updateTable('knowledge_bases').set({ found_revision: 2 }).execute();
    await tx.deleteFrom('rag_documents').where('id', '=', deleted).execute();
    await tx.deleteFrom('rag_units').where('document_id', '=', deleted).execute();
  });
  assert.equal(await following.catchUp(await current(db, id)), 0);
  assert.deepEqual(await unitsOf(index), before);
  reconciliation.start();
  const wanted = (await foundUpTo(db, { ...index, foundRevision: 2 })).toSorted((one, other) => one - other);
  assert.equal(wanted.length, 2);
  for (const deadline = performance.now() + 30_000; ; await pause(20)) {
    const units = (await unitsOf(index)).toSorted((one, other) => one - other);
    if (units.join() === wanted.join()) break;
    assert.ok(performance.now() < deadline, units.join());
  }
});
