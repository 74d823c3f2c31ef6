import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toZip } from '../../../../tests/contract/archive-bytes.ts';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forEachDatabase } from '../../../../tests/support/databases.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';
import { newDataset, sendArchive } from '../../../../tests/support/streamed-archives.ts';
import { archiveProblems as problems, foreign } from '../../../kernel/sentences/index.ts';
import { toFile } from '../files/file-record.ts';
import { noEffects, refusalFrom, refusalOf, storedRefusal, withWarnings } from './archive-receipt.ts';

const shared = sharedApp(import.meta.url);
const hostile = 'Q1: sales.csv.gz in the archive is damaged, "(x)"';

test('names of entries are values of refusals and errors, whatever they say', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const archive = toZip([
    { name: '../The path is taken', content: 'a' },
    { name: 'a.txt', content: 'a' },
  ]);
  const { body } = await sendArchive(app, dataset, archive, 'format=zip');
  const [refusal] = body.failures as unknown as { reasonCode: string; reasonParams: Record<string, unknown> }[];
  assert.equal(refusal?.reasonCode, 'NAME_REFUSED');
  assert.equal(typeof refusal.reasonParams['problem'], 'object');

  const torn = toZip([{ name: hostile, content: 'some text' }]);
  torn[torn.indexOf('some text')] = 0x58;
  const refused = await sendArchive(app, dataset, torn, 'format=zip');
  assert.equal(refused.status, 400);
  const { errorParams } = refused.body as unknown as { errorParams: { problem: { params: { why: unknown } } } };
  assert.deepEqual(errorParams.problem.params.why, { code: 'ENTRY_WRONG_CHECKSUM', params: { entry: hostile } });
});

forEachDatabase('a file keeps code and values of its error beside the text', async (_t, open) => {
  const { db, add, commits, newDataset: create } = createDataSetting(await open());
  const datasetId = await create();
  const [row] = await add(datasetId, [newFile('x.zip')]);
  assert.ok(typeof row === 'object');
  const fail = async (error: Parameters<typeof commits.setStatus>[1]['error']): Promise<unknown[]> => {
    const change = { datasetId, fileId: row.file_id, status: 'ERROR' as const };
    const failed = await db.write((tx) => commits.setStatus(tx, { ...change, ...(error && { error }) }));
    const stored = await db.read.selectFrom('files').selectAll().where('row_id', '=', failed.row_id).executeTakeFirst();
    assert.ok(stored !== undefined);
    const file = toFile(stored, null);
    return [file.error, file.errorCode, file.errorParams];
  };
  const damaged = problems.ENTRY_DAMAGED.reason({ entry: hostile });
  assert.deepEqual(await fail(damaged), [damaged.text, 'ENTRY_DAMAGED', { entry: hostile }]);
  assert.deepEqual(await fail(foreign(problems.ARCHIVE_GONE({}))), [problems.ARCHIVE_GONE({}), null, null]);
  assert.deepEqual(await fail(undefined), [null, null, null]);
  await db.write((tx) =>
    tx
      .updateTable('files')
      .set({ error: problems.CUT_OFF_IN({ entry: 'a' }) })
      .where('row_id', '=', row.row_id)
      .execute(),
  );
  const earlier = await db.read.selectFrom('files').selectAll().where('row_id', '=', row.row_id).executeTakeFirst();
  assert.ok(earlier !== undefined);
  assert.deepEqual(toFile(earlier, null).errorParams, { entry: 'a' });
});

test('a receipt keeps codes and values; one of an earlier release is read by its words', () => {
  const refusal = { path: 'a', reason: problems.COMPRESSED_OTHERWISE.reason({ method: 12 }) };
  const stored = storedRefusal(refusal);
  assert.deepEqual(refusalFrom({ ...stored, reason: 'reworded' }).reason, { ...refusal.reason, text: 'reworded' });
  assert.deepEqual(refusalFrom(storedRefusal({ path: 'a', reason: foreign('A device') })).reason, foreign('A device'));
  const { reasonCode, reasonParams } = refusalOf(refusalFrom({ path: 'a', reason: refusal.reason.text }));
  assert.deepEqual([reasonCode, reasonParams], ['COMPRESSED_OTHERWISE', { method: 12 }]);

  const label = problems.VOLUME_LABEL.reason({ label: 'A device” is no file' });
  const warned = { ...noEffects(), warnings: [label.text], warningSentences: [label.sentence] };
  assert.deepEqual(withWarnings(warned).warningSentences, [label.sentence]);
  const warnings = [problems.GZIP_BYTES_BEHIND({ bytes: 7 })];
  assert.deepEqual(withWarnings({ ...noEffects(), warnings }).warningSentences, [
    { code: 'GZIP_BYTES_BEHIND', params: { bytes: 7 } },
  ]);
});
