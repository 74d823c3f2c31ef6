// Chunks of the same upload arrive on two nodes, whose calls to the database take different times.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { openTestObjectStore, patternBytes } from '../../../../tests/support/blobs.ts';
import { createTestDatabase } from '../../../../tests/support/databases.ts';
import { postgres } from '../../../../tests/support/postgres.ts';
import { seededRandom } from '../../../../tests/support/seeded-random.ts';
import { testWith } from '../../../../tests/support/tools.ts';
import { chunkFields, openSettingOver } from '../../../../tests/support/uploading.ts';
import { versitygw } from '../../../../tests/support/versitygw.ts';
import { openDatabase, type Database } from '../../../storage/database/database.ts';

const mebibyte = 1024 * 1024;
const rounds = 12;
const maxDelayMs = 8;

/** A database whose answers come late, each by another time. */
function delayed(db: Database): Database {
  const wait = (): Promise<void> => pause(Math.random() * maxDelayMs);
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await wait();
      return result;
    },
  };
  return {
    ...db,
    read: db.read.withPlugin(plugin),
    scan: db.scan.withPlugin(plugin),
    async write(work) {
      await wait();
      const result = await db.write((tx) => work(tx.withPlugin(plugin)));
      await wait();
      return result;
    },
  };
}

testWith([postgres, versitygw], 'chunks of one upload are received by two nodes in any order', async (t) => {
  const { options, remove } = await createTestDatabase('PostgreSQL');
  const databases = [await openDatabase(options), await openDatabase(options)] as const;
  const [first, second] = [delayed(databases[0]), delayed(databases[1])];
  const one = await openTestObjectStore(t, { db: first });
  const two = await openTestObjectStore(t, { db: second, prefix: one.url.split('/').at(-1) ?? '' });
  const node = await openSettingOver(t, { db: first, blobs: one.store });
  const other = await openSettingOver(t, { db: second, blobs: two.store, datasetId: node.datasetId });
  t.after(async () => {
    for (const db of databases) await db.close();
    await remove();
  });
  for (let round = 0; round < rounds; round++) {
    const { integer } = seededRandom(round);
    // Parts of an upload, or objects of their own.
    const size = round % 3 === 0 ? 5 * mebibyte : 3_000;
    const parts = [1, 2, 3, 4].map((number) => patternBytes(10 * round + number, size));
    const totalSize = 2 * parts.length * size + small.length;
    const reqId = await node.announce({ totalFileNum: 3, totalSize, onConflict: 'REPLACE' });
    const sent = [1, 2]
      .flatMap((fileNo) => parts.map((file, index) => ({ ...chunkFields(reqId, fileNo, index + 1, 4), file })))
      .concat({ ...chunkFields(reqId, 3), file: small })
      .flatMap((chunk) =>
        (integer(3) === 0 ? [node, other] : [integer(2) === 0 ? node : other]).map((to) => ({ to, chunk })),
      )
      .map((call) => ({ ...call, rank: integer(1_000) }))
      .sort((a, b) => a.rank - b.rank);
    const answers = await Promise.all(sent.map(({ to, chunk }) => to.send(chunk)));
    assert.ok(
      answers.some(({ uploadCompleted }) => uploadCompleted),
      `round ${round}`,
    );
    for (const { uploading, datasetId } of [node, other]) {
      const { completedFiles, missingFiles, receivedBytes } = await uploading.uploads.status(datasetId, reqId);
      assert.deepEqual([completedFiles, missingFiles, receivedBytes], [3, 0, totalSize], `round ${round}`);
    }
  }
});

const small = Buffer.from('0123456789');
