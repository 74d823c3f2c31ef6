import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CollectionTask, Connector } from '../../../api/schema.ts';
import { fieldsOf } from '../../../ui/schema-fields.ts';
import { bodyOf, configOf, draftOf, isComplete, newDraft } from './task-draft.ts';

const fields = fieldsOf({
  properties: { url: { type: 'string' }, depth: { type: 'integer', default: 2 }, token: { type: 'string' } },
  required: ['url'],
});
const connector = { type: 'web-crawl', name: 'Web pages', incremental: true } as Connector;
const fresh = newDraft(connector, fields, undefined);

test('a new draft has the name and the defaults of its connector, and a new dataset unless one is given', () => {
  assert.deepEqual(
    [fresh.name, fresh.source, fresh.incremental, fresh.target],
    ['Web pages', { depth: 2 }, true, 'new'],
  );
  const filling = newDraft(connector, fields, 'd1');
  assert.deepEqual([filling.target, filling.targetDatasetId], ['existing', 'd1']);
});

test('a draft is complete with a name, the required fields of the source and a target', () => {
  const complete = { ...fresh, source: { ...fresh.source, url: 'https://example.com' } };
  assert.ok(isComplete(complete, fields));
  for (const lack of [{ name: ' ' }, { source: {} }, { target: 'existing' as const }])
    assert.ok(!isComplete({ ...complete, ...lack }, fields));
});

test('what is sent names one target, leaves out empty fields, and says whether there is a schedule', () => {
  assert.deepEqual(configOf(fields, { url: 'https://example.com', token: '', depth: null }), {
    url: 'https://example.com',
  });
  const once = bodyOf({ ...fresh, targetDatasetName: 'Pages' }, 'web-crawl', fields);
  assert.deepEqual(
    [once.targetDatasetName, once.targetDatasetId, once.schedule, once.syncMode],
    ['Pages', undefined, null, 'ONCE'],
  );
  const schedule = { cron: '0 3 * * *', timezone: 'UTC' };
  const daily = bodyOf(
    { ...fresh, target: 'existing', targetDatasetId: 'd1', targetDatasetName: 'Pages', schedule },
    'web-crawl',
    fields,
  );
  assert.deepEqual(
    [daily.targetDatasetName, daily.targetDatasetId, daily.schedule, daily.syncMode],
    [undefined, 'd1', schedule, 'SCHEDULED'],
  );
});

test('the draft of a task has its configuration over the defaults, and of its schedule what people enter', () => {
  const task = {
    name: 'Crawl',
    description: '',
    connector: { type: 'web-crawl', config: { url: 'https://example.com' }, storedSecrets: [] },
    targetDatasetId: 'd1',
    targetDatasetName: 'Pages',
    prefix: 'raw',
    onConflict: 'RENAME',
    incremental: false,
    schedule: { cron: '0 3 * * *', timezone: 'UTC', nextRunAt: null, note: null },
  } as unknown as CollectionTask;
  const draft = draftOf(task, fields);
  assert.deepEqual(draft.source, { url: 'https://example.com', depth: 2 });
  assert.deepEqual(draft.schedule, { cron: '0 3 * * *', timezone: 'UTC' });
  assert.deepEqual([draft.target, draft.onConflict, draft.incremental], ['existing', 'RENAME', false]);
});
