import assert from 'node:assert/strict';
import { openTestStore } from '../../../../tests/support/blobs.ts';
import { createDataSetting } from '../../../../tests/support/data-management.ts';
import { createPostgresDatabase, postgres } from '../../../../tests/support/postgres.ts';
import { templates } from '../../../../tests/support/template-databases.ts';
import { testWith } from '../../../../tests/support/tools.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { createFileCommits } from '../files/file-commits.ts';
import { claimArchive, endArchiveOf, insertArchives, noteArchiveProgress } from '../queries/archives.ts';
import { createArchiveIntake } from './archive-intake.ts';
import { createStagedEntries, LostEntriesError } from './staged-entries.ts';

const time = '2026-01-31T08:00:00.000Z';

testWith(
  [postgres],
  'what a dead node has begun is taken over, and it can not end it when it comes back',
  async (t) => {
    const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
    const db = await openDatabase({ url });
    t.after(async () => {
      await db.close();
      await drop();
    });
    const { store: blobs } = await openTestStore(t, { db });
    const live = async (id: string): Promise<void> => {
      const node = {
        id,
        place: id,
        version: '1',
        newest_step: '',
        address: '',
        started_at: time,
        seen_at: 0,
        serving: 1,
      };
      await db.read.insertInto('nodes').values(node).execute();
    };
    await live('a');
    await live('b');

    const archive = {
      id: 'archive',
      upload_id: 'upload',
      file_no: 1,
      dataset_id: 'dataset',
      file_id: 'file',
      path: 'a.zip',
      blob_id: 'blob',
      created_by: 'ann',
      on_conflict: 'REPLACE' as const,
      unpack_into: 'PREFIX' as const,
      name_encoding: null,
      name_languages: null,
      announced: 1,
      state: 'PENDING' as const,
      file_count: 0,
      total_size_bytes: 0,
      refused_count: 0,
      refusals: '[]',
      effects: '{}',
      error: null,
      error_sentence: null,
      unpackings: 0,
      node_id: null,
      created_at: time,
      ended_at: null,
    };
    await db.write((tx) => insertArchives(tx, [archive]));
    const claim = (node: string): Promise<boolean> => db.write((tx) => claimArchive(tx, 'archive', node));
    assert.deepEqual([await claim('a'), await claim('b'), await claim('a')], [true, false, true]);

    const { newDataset } = createDataSetting(db);
    const datasetId = await newDataset();
    const commits = createFileCommits({ clock: systemClock, blobs });
    const stagedOf = (id: string) => createStagedEntries({ db, blobs, nodes: { id } });
    const [ofA, ofB] = [stagedOf('a'), stagedOf('b')];
    const intakeOf = async (): Promise<ReturnType<typeof createArchiveIntake>> => {
      const intake = createArchiveIntake({ db, blobs, commits, stagedEntries: ofA, prefix: '' });
      // Enough entries that the first ones are moved into the table.
      for (let index = 0; index < 12_001; index++) {
        const writer = intake.stageWhole(Buffer.from(String(index)));
        const staged = writer ?? (await writeOf(intake, String(index)));
        await intake.add(`${index}.txt`, staged);
      }
      return intake;
    };
    const staged = async (): Promise<number> =>
      (
        await db.read
          .selectFrom('staged_entries')
          .select(db.read.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      ).count;
    const lost = await intakeOf();
    const kept = await intakeOf();
    while ((await staged()) < 8_000) await new Promise((resolve) => setImmediate(resolve));
    await ofB.eraseLeftovers(new AbortController().signal);
    assert.equal((await kept.commit({ datasetId, by: 'ann', onConflict: 'REPLACE' })).files, 12_001);
    const before = await staged();
    assert.ok(before >= 2_000, 'another node erases nothing of one that is alive');

    await db.read.deleteFrom('nodes').where('id', '=', 'a').execute();
    assert.deepEqual([await claim('b'), await claim('a')], [true, false]);
    const progress = { file_count: 1, total_size_bytes: 1, refused_count: 0 };
    assert.equal(await noteArchiveProgress(db.read, 'archive', 'a', progress), false);
    assert.equal(await db.write((tx) => endArchiveOf(tx, 'archive', 'a', { state: 'UNPACKED' })), false);
    assert.equal(await db.write((tx) => endArchiveOf(tx, 'archive', 'b', { state: 'UNPACKED' })), true);
    await ofB.eraseLeftovers(new AbortController().signal);
    assert.equal(await staged(), 0);
    await assert.rejects(lost.commit({ datasetId, by: 'ann', onConflict: 'REPLACE' }), LostEntriesError);
    await lost.discard();
    const { version, files } = await db.read
      .selectFrom('versions')
      .where('dataset_id', '=', datasetId)
      .select((select) => [select.fn.max('version').as('version'), select.fn.max('file_count').as('files')])
      .executeTakeFirstOrThrow();
    assert.deepEqual([version, files], [2, 12_001]);
  },
);

async function writeOf(intake: ReturnType<typeof createArchiveIntake>, text: string) {
  const writer = intake.openWriter();
  await writer.write(Buffer.from(text));
  return writer.finish();
}
