import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { adoptAll, openTestStore, writeBlob } from '../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { pdfOf } from '../../../tests/support/pdf-files.ts';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import { openModels } from '../../../tests/support/models.ts';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { ragDocument } from '../../../tests/support/rag-documents.ts';
import { startApp } from '../../../tests/support/server.ts';
import { templates } from '../../../tests/support/template-databases.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { createChunkingThread } from '../../chunking/chunking-thread.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Run, RunContext, RunKind } from '../../runs/index.ts';
import { openDatabase } from '../../storage/database/database.ts';
import { createLanceStore } from '../../storage/vectors/index.ts';
import { noFollowing } from './following.ts';
import { createIngestKind } from './ingest-run.ts';
import { findDocument, insertDocuments, lockDocument } from './queries/documents.ts';
import { insertKnowledgeBase } from './queries/knowledge-bases.ts';
import { createReadingLanes } from './reading-lanes.ts';

test('a knowledge base takes no more documents, bytes and characters than allowed, and says why', async (t) => {
  const settings = {
    TILTH_RAG_MAX_DOCUMENTS: '2',
    TILTH_RAG_MAX_DOCUMENT_MB: '1',
    TILTH_RAG_MAX_DOCUMENT_CHARACTERS: '1000',
  };
  const service = await startApp(t, { settings });
  const base = await createKnowledgeBase(service);
  const upload = async (...files: [string, string][]): Promise<{ status: number; text: string }> => {
    const form = new FormData();
    for (const [name, content] of files) form.append('files', new Blob([content]), name);
    const { status, body } = await service.api('POST', `${base.path}/documents`, form);
    return { status, text: JSON.stringify(body) };
  };
  assert.equal((await upload(['large.txt', 'x'.repeat(1_048_577)])).status, 413);
  assert.equal((await upload(['long.txt', '𝄞 '.repeat(501)], ['short.txt', '𝄞 '.repeat(500)])).status, 201);
  const documents = Object.fromEntries(
    (await base.settled()).map(({ name, status, cause }) => [name, [status, cause]]),
  );
  assert.deepEqual(documents, {
    'long.txt': ['FAILED', 'its text has 1002 characters, more than the allowed 1000'],
    'short.txt': ['COMPLETED', null],
  });
  const third = await upload(['third.txt', 'soil']);
  assert.equal(third.status, 409);
  assert.match(third.text, /exceed the limit of 2/);
});

forAnyDatabase('a document whose reading ends the service fails after three times, others do not', async (t, open) => {
  const db = await open();
  const { store: blobs } = await openTestStore(t, { db });
  const { models } = await openModels(t, db);
  const directory = await mkdtemp(join(tmpdir(), 'tilth-poison-'));
  const vectors = createLanceStore({ directory, logger: { warn() {} } });
  const chunking = createChunkingThread();
  t.after(async () => {
    await vectors.close();
    await chunking.close();
    await rm(directory, { recursive: true, force: true });
  });
  const knowledgeBaseId = newId();
  const addDocument = async (name: string): Promise<string> => {
    const bytes = name.endsWith('.pdf') ? Buffer.from(pdfOf([['Wheat.']])) : Buffer.from('Soil.');
    const staged = await writeBlob(blobs, bytes);
    await adoptAll(blobs, db, [staged]);
    const row = ragDocument({
      knowledge_base_id: knowledgeBaseId,
      name,
      file_type: name.slice(-3),
      size_bytes: bytes.length,
      crc32: staged.crc32,
      blob_id: staged.id,
    });
    await db.write((tx) => insertDocuments(tx, [row]));
    return row.id;
  };
  await db.write((tx) =>
    insertKnowledgeBase(tx, {
      id: knowledgeBaseId,
      name: 'Poison',
      description: '',
      embedding_model: 'builtin:hash-512',
      index_id: newId(),
      dimensions: null,
      last_unit: 0,
      found_revision: 0,
      created_at: '',
      created_by: 'admin',
      updated_at: '',
      chunking: '{"strategy":"RECURSIVE","size":800,"overlap":80,"unit":"CHARACTERS"}',
    }),
  );
  const [poison, good] = [await addDocument('poison.pdf'), await addDocument('good.txt')];

  const limits = {
    maxDocuments: 10,
    maxBytes: 1 << 20,
    maxCharacters: 1000,
    maxReadings: 3,
    htmlPart: 'MAIN_CONTENT',
  } as const;
  const kindWith = (begun: () => void): RunKind =>
    createIngestKind({
      db,
      blobs,
      models,
      vectors,
      reconciliation: { makeAgain: (_index, error) => assert.fail(error) },
      chunking,
      lanes: createReadingLanes(),
      limits,
      clock: systemClock,
      documents: {
        read: () => {
          begun();
          return new Promise<never>(() => {});
        },
      } as never,
      rebuildMore: async () => {},
      measureSpace: async () => ({ state: 'OK', freeBytes: 1 << 30 }),
      waitingForSpace: new Set(),
      wake() {},
      following: noFollowing,
    });

  /** Runs ingests until the PDF's reading, which never ends, kills the process. */
  const live = async (ids: readonly string[]): Promise<void> => {
    const poisoned = Promise.withResolvers<void>();
    const kind = kindWith(poisoned.resolve);
    const context: Partial<RunContext> = {
      signal: new AbortController().signal,
      checkpoint: (_, work) => db.write(async (tx) => work?.(tx, async () => {})),
      complete: (work) => db.write((tx) => work(tx, { finishedAt: 'now' } as never)),
    };
    const drives = ids.map((taskId) =>
      kind.drive({ id: newId(), taskId } as Run, context as RunContext).catch(() => undefined),
    );
    await Promise.race([poisoned.promise, Promise.all(drives)]);
  };
  const find = async (id: string) => findDocument(db.read, id);

  await live([poison, good]);
  await live([poison]);
  assert.equal((await find(poison))?.readings, 2);
  await live([poison]);
  assert.equal((await find(poison))?.status, 'PROCESSING');
  await live([poison]);
  const failed = await find(poison);
  assert.equal(failed?.status, 'FAILED');
  assert.match(failed.cause ?? '', /interrupted 3 times/);
  await live([good]);
  assert.equal((await find(good))?.status, 'COMPLETED');

  // When a document could not record its failure, as on a full disk, it takes over the failure of its run.
  const stuck = await addDocument('stuck.txt');
  const { ended } = kindWith(() => {});
  for (const taskId of [stuck, good])
    await db.write(async (tx) => ended?.(tx, { taskId, error: new Error('no space'), finishedAt: 'now' }));
  assert.deepEqual([(await find(stuck))?.status, (await find(stuck))?.cause], ['FAILED', 'no space']);
  assert.equal((await find(good))?.status, 'COMPLETED');
});

test('names of metadata are as short as it says, and lists of a thousand ids fit', async (t) => {
  const service = await startApp(t);
  const base = await createKnowledgeBase(service);
  const upload = async (metadata: object): Promise<number> => {
    const form = new FormData();
    form.set('metadata', JSON.stringify(metadata));
    form.append('files', new Blob(['soil']), 'soil.txt');
    return (await service.api('POST', `${base.path}/documents`, form)).status;
  };
  assert.equal(await upload({ ['k'.repeat(101)]: 'v' }), 400);
  assert.equal(await upload({ ['k'.repeat(100)]: 'v' }), 201);
  await base.settled();
  const documentIds = Array.from({ length: 1000 }, (_, number) => String(number).padStart(64, '0'));
  const { status, body } = await service.api<{ data: { notFound: string[] } }>(
    'POST',
    `${base.path}/documents/batch-delete`,
    { documentIds },
  );
  assert.deepEqual([status, body.data.notFound.length], [200, 1000]);
  assert.deepEqual(await base.search({ query: 'soil', filter: { documentIds } }), []);
});

testWith([postgres], 'the deletion of a document waits for its run before it holds the document', async (t) => {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const service = await startApp(t, { database: { url } });
  const db = await openDatabase({ url });
  t.after(async () => {
    await db.close();
    await drop();
  });
  const base = await createKnowledgeBase(service);
  const [document] = await base.add({ 'wheat.txt': 'wheat' });
  const id = document?.id ?? '';
  await base.settled();
  let deletion: Promise<{ status: number }> | undefined;
  // Locks like a checkpoint: the run first, then the document.
  await db.write(async (tx) => {
    await sql`select id from runs where task_id = ${id} for update`.execute(tx);
    deletion = service.api('DELETE', `${base.path}/documents/${id}`);
    const isWaiting = async (): Promise<boolean> => {
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`.execute(db.read);
      return rows.length > 0;
    };
    while (!(await isWaiting())) await setTimeout(20);
    await sql`set local lock_timeout = '300ms'`.execute(tx);
    await lockDocument(tx, id);
  });
  assert.equal((await deletion)?.status, 204);
});
