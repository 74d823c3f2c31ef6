import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forEachDatabase } from '../../../../tests/support/databases.ts';
import { versionMessages } from '../../../kernel/sentences/index.ts';
import { updateVersionName } from '../queries/versions.ts';

forEachDatabase('a version keeps code and values of its message beside the text', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { db, commits, newDataset, versions } = setting;
  const datasetId = await newDataset();
  const by = 'bob';
  const task = 'Failed samples of run 3, processed again by "x"';
  const message = versionMessages.CLEANED.reason({ task });
  const files = [newFile('Q1: sales.csv.gz')];
  const { outcomes } = await db.write((tx) =>
    commits.add(tx, { datasetId, by, onConflict: 'REPLACE', files, message }),
  );
  const [added] = outcomes;
  const fileId = added?.kind === 'added' ? added.file.file_id : '';
  await db.write((tx) => commits.move(tx, { datasetId, by, fileId, path: 'a, (b)/Moved to c' }));
  await versions.restore(datasetId, { version: 2, message: 'Restored version 7' }, by);
  const latest = async (): Promise<unknown[][]> => {
    const { content } = await versions.list(datasetId, { page: 0, size: 10, sort: 'version,asc' });
    return content.map(({ message, messageCode, messageParams }) => [message, messageCode, messageParams]);
  };
  const written = [
    [null, null, null],
    [message.text, 'CLEANED', { task }],
    ['Moved to a, (b)/Moved to c', 'MOVED', { path: 'a, (b)/Moved to c' }],
    ['Restored version 7', null, null],
  ];
  assert.deepEqual(await latest(), written);

  await versions.nameCurrent(datasetId, { name: 'first', message: 'Cleaned by hand' });
  assert.deepEqual((await latest()).at(-1), ['Cleaned by hand', null, null]);

  // A process of an earlier release changes the text alone.
  await db.write((tx) => updateVersionName(tx, datasetId, 4, { name: 'second', message: 'Restored version 2' }));
  assert.deepEqual((await latest()).at(-1), ['Restored version 2', 'RESTORED', { version: 2 }]);
});
