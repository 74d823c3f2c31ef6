import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completion, refuse, send, startProvider } from '../../../tests/fakes/model-provider.ts';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import {
  createModel,
  createSource,
  createTask,
  endOfTask,
  listRecords,
  textOf,
} from '../../../tests/support/synthesis.ts';
import { foreign, type Reason } from '../../kernel/sentences/index.ts';
import { failed, storableReason } from './generation.ts';
import { insertRecords, listRecords as listStored } from './queries/records.ts';
import { insertSamples } from './queries/works.ts';
import { failureOf, recordColumns } from './record-rows.ts';
import { synthesisReasons as reasons } from './sentences.ts';

type Coded = { reasonCode: string | null; reasonParams: unknown };

const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });
const ours = reasons.SYNTHESIS_REFUSAL({});

shared.forAnyDatabase('words of a provider and names of files are values, whatever they say', async (t, service) => {
  const provider = await startProvider(t, (request, response, raw) => {
    if (textOf(request).includes('barley')) return refuse(400, ours)(request, response, raw);
    return send(response, 200, completion("I'm sorry, but I can't help with that."));
  });
  const lines = ['{"text": "barley, \\"(two-row)\\""}', '{"text": "rye"}', 'no object'];
  const sourceDatasetId = await createSource(service, { 'Q1: rows.jsonl': `${lines.join('\n')}\n` });
  const { body: template } = await service.api<{ data: { id: string } }>('POST', '/data-synthesis/templates', {
    name: 'Plain',
    type: 'CUSTOM',
    prompt: '{{text}}',
  });
  const model = await createModel(service, provider);
  const { id } = await createTask(service, { sourceDatasetId, model, templateId: template.data.id });
  const task = await endOfTask(service, id);
  const records = (await listRecords(service, id)) as unknown as Coded[];
  const host = new URL(provider.baseUrl).host;
  assert.deepEqual(
    records.map(({ reasonCode, reasonParams }) => [reasonCode, reasonParams]),
    [
      [
        'SYNTHESIS_CALL_FAILED',
        { why: { code: 'PROVIDER_REFUSES_SAYING', params: { host, status: 400, said: ours } } },
      ],
      ['SYNTHESIS_REFUSAL', {}],
      ['SYNTHESIS_ROW_NOT_JSON', { row: 3 }],
    ],
    JSON.stringify(task),
  );
});

test('a long reason of a record is cut in its values too, and keeps its code', () => {
  const said = `a\0${'b'.repeat(900)}`;
  const { text, sentence } = storableReason(reasons.SYNTHESIS_CALL_FAILED.reason({ why: foreign(said) }));
  assert.equal(text.length, 500);
  assert.ok(sentence !== null);
  assert.deepEqual(sentence, { code: 'SYNTHESIS_CALL_FAILED', params: { why: `a\uFFFD${'b'.repeat(498)}` } });
});

forEachDatabase('a record keeps code and values of its reason beside the text', async (t, openDb) => {
  const db = await openDb();
  t.after(() => db.close());
  const now = '2026-01-31T09:00:00.000Z';
  const place = { work_id: 'w', sample_no: 0, turn_no: 0, sequence: 0 };
  const reason = reasons.SYNTHESIS_NO_COLUMN.reason({ column: 'the sample has no column x' });
  const row = (number: number, why: Reason) => ({
    ...place,
    record_no: number,
    record_id: `r${number}`,
    ...recordColumns({ ...failed(why), column: number === 0 ? 'a, "b": c' : null }, now),
  });
  const earlier = { ...row(2, reasons.SYNTHESIS_JUDGED.reason({ score: 3, limit: 7 })), reason_sentence: null };
  const where = { file_id: 'f', file_path: 'Q1: rows.csv', row_no: 1, start_at: null, end_at: null };
  const sample = { text: 'x', fields: null, problem: null, problem_sentence: null, sample_key: 'k' };
  await db.write(async (tx) => {
    await insertSamples(tx, [{ work_id: 'w', sample_no: 0, ...where, ...sample }]);
    await insertRecords(tx, [row(0, reason), row(1, foreign(ours)), earlier]);
  });
  const { rows } = await listStored(db.read, { taskId: 't', workId: 'w' }, { page: 0, size: 10 });
  assert.deepEqual(
    rows.map((stored) => failureOf(stored).sentence),
    [
      { code: 'SYNTHESIS_COLUMN', params: { column: 'a, "b": c', why: reason.sentence } },
      null,
      { code: 'SYNTHESIS_JUDGED', params: { score: 3, limit: 7 } },
    ],
  );
  assert.deepEqual(
    rows.map(({ reason_code: code }) => code),
    ['SYNTHESIS_NO_COLUMN', null, 'SYNTHESIS_JUDGED'],
  );
});
