import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  completion,
  refuse,
  send,
  startProvider,
  type Answer as ProviderAnswer,
} from '../../../tests/fakes/model-provider.ts';
import {
  createModel,
  createSource,
  createTask,
  endOfTask,
  listRecords,
  pair,
  readRows,
  soilText,
  textOf,
  type SynthesisRecord,
} from '../../../tests/support/synthesis.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

type Answer<T> = { data: T; error: string };
const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });

shared.forAnyDatabase(
  'the built-in model makes questions of documents and rows, which end up in a dataset',
  async (_t, service) => {
    const sourceDatasetId = await createSource(service, {
      'broken.pdf': '%PDF-1.7 nothing',
      'photo.png': 'PNG',
      'soil.md': soilText,
      'rows.csv': 'id,text\n1,"The disc harrow crumbles heavy clods of soil before the wheat is sown"\n2,short\n',
    });
    const created = await createTask(service, { sourceDatasetId, perSample: 2, format: 'MESSAGES', provenance: true });
    assert.equal(created.status, 'RUNNING', 'a new task starts by itself');
    const task = await endOfTask(service, created.id);
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task));
    // Four samples: the broken file, the document, two rows.
    assert.equal(task.counts.in, 8);
    const records = await listRecords(service, task.id);
    const of = (path: string): SynthesisRecord[] => records.filter(({ source }) => source.filePath === path);
    assert.deepEqual(
      of('broken.pdf').map(({ verdict, reasonCode }) => [verdict, reasonCode]),
      [
        ['FAILED', 'SYNTHESIS_SAMPLE_UNREADABLE'],
        ['FAILED', 'SYNTHESIS_SAMPLE_UNREADABLE'],
      ],
    );
    assert.deepEqual(
      of('soil.md').map(({ verdict }) => verdict),
      ['KEPT', 'KEPT'],
    );
    const [first] = of('soil.md');
    assert.equal([...soilText].slice(first?.source.start ?? 0, first?.source.end ?? 0).join(''), first?.sourceText);
    assert.match(first?.prompt[1]?.content ?? '', /<text>\n# Soil/);
    const [row, again] = of('rows.csv');
    assert.deepEqual([row?.verdict, row?.source.row], ['KEPT', 1]);
    assert.equal(again?.reasonCode, 'SYNTHESIS_LIKE_RECORD', 'there is one sentence to ask about');
    assert.deepEqual(
      records.filter(({ source }) => source.row === 2).map(({ reasonCode }) => reasonCode),
      ['SYNTHESIS_CALL_FAILED', 'SYNTHESIS_CALL_FAILED'],
    );
    const run = await service.api<Answer<{ skipped: number; failures: { count: number }[] }>>(
      'GET',
      `/data-synthesis/tasks/${task.id}/runs/${task.lastRunId}`,
    );
    assert.equal(run.body.data.skipped, 1, 'the picture');
    assert.equal(
      run.body.data.failures.reduce((sum, { count }) => sum + count, 0),
      task.counts.failed,
    );

    const kept = records.filter(({ verdict }) => verdict === 'KEPT');
    const written = await readRows(service, task.targetDatasetId ?? '');
    assert.equal(task.counts.emitted, kept.length);
    assert.deepEqual(
      written.map(({ messages }) => messages),
      kept.map(({ output }) => [
        { role: 'user', content: output?.['question'] },
        { role: 'assistant', content: output?.['answer'] },
      ]),
    );
    assert.deepEqual(
      written.map(({ _source }) => (_source as { recordId: string }).recordId),
      kept.map(({ id }) => id),
    );
    const facets = await service.api<Answer<{ facets: { verdict: string; reason: string | null; count: number }[] }>>(
      'GET',
      `/data-synthesis/tasks/${task.id}/records/facets`,
    );
    assert.equal(
      facets.body.data.facets.reduce((sum, { count }) => sum + count, 0),
      8,
    );
    for (const { verdict, reason } of facets.body.data.facets) assert.equal(reason === null, verdict === 'KEPT');
    assert.equal((await listRecords(service, task.id, 'verdict=DROPPED&search=rows.csv')).length, 1);
  },
);

shared.forAnyDatabase('a record is kept, dropped or failed by what the model says', async (t, service) => {
  const replies: Record<string, ProviderAnswer> = {
    refuses: (_request, response) =>
      send(response, 200, completion('{"question": "Why?", "answer": "I\'m sorry, but I cannot help with that."}')),
    leaks: (_request, response) =>
      send(response, 200, completion('{"question": "Why?", "answer": "<text> wheat </text>"}')),
    invents: (_request, response) =>
      send(response, 200, completion('{"question": "Who?", "answer": "Napoleon marched through Russia in winter"}')),
    babbles: (_request, response) => send(response, 200, completion('no JSON at all')),
    breaks: refuse(400, 'this prompt is refused'),
    poor: (request, response) => pair(request, response, response.req),
  };
  const provider = await startProvider(t, (request, response, raw) => {
    const isJudge = request.body.messages?.[0]?.content.startsWith('You grade') === true;
    const text = textOf(request);
    if (isJudge)
      send(
        response,
        200,
        completion(JSON.stringify({ score: text.startsWith('poor') ? 2 : 9, reason: 'by the rubric' })),
      );
    else (replies[text.split(' ')[0] ?? ''] ?? pair)(request, response, raw);
  });
  const names = ['good', ...Object.keys(replies), 'last'];
  const lines = names.map((name, at) => JSON.stringify({ text: `${name} wheat number ${at} is sown in the field` }));
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': `${lines.join('\n')}\nbroken\n{"text":" "}\n` });
  const model = await createModel(service, provider);
  const judge = { rubric: 'Is it useful?', minScore: 5 };
  const { id } = await createTask(service, { sourceDatasetId, model, judge });
  const task = await endOfTask(service, id);
  assert.equal(task.status, 'COMPLETED', JSON.stringify(task));
  const records = await listRecords(service, id);
  assert.deepEqual(
    records.map(({ verdict, reasonCode, score }) => [verdict, reasonCode, score]),
    [
      ['KEPT', null, 9],
      ['DROPPED', 'SYNTHESIS_REFUSAL', null],
      ['DROPPED', 'SYNTHESIS_LEAK', null],
      ['DROPPED', 'SYNTHESIS_NOT_GROUNDED', null],
      ['DROPPED', 'SYNTHESIS_SCHEMA', null],
      ['FAILED', 'SYNTHESIS_CALL_FAILED', null],
      ['DROPPED', 'SYNTHESIS_JUDGED', 2],
      ['KEPT', null, 9],
      ['FAILED', 'SYNTHESIS_ROW_NOT_JSON', null],
      ['FAILED', 'SYNTHESIS_NO_TEXT', null],
    ],
  );
  assert.deepEqual({ ...task.counts }, { in: 10, kept: 2, changed: 0, dropped: 5, failed: 3, emitted: 2 });
  // The pair and its judgement, 10 and 5 tokens each.
  assert.deepEqual(records[0]?.usage, { inputTokens: 20, outputTokens: 10, cost: 0.00004, known: false });

  // No call is paid for twice: the ledger has all replies for the second run except that of the failed call.
  const before = provider.requests.length;
  await service.api('POST', `/data-synthesis/tasks/${id}/execute`, {});
  assert.equal((await endOfTask(service, id)).counts.kept, 2);
  assert.equal(provider.requests.length, before + 1);
});

test('a document whose chunks are refused fails alone', async () => {
  const service = await shared.open();
  const book = `${'Harrows loosen the soil before the seeds are sown in spring. '.repeat(3000)}\n`;
  const sourceDatasetId = await createSource(service, {
    'a-book.txt': book,
    'rows.csv': `text\n${'Irrigation brings water to dry fields. '.repeat(3)}\n`,
  });
  const chunking = { strategy: 'FIXED', size: 5000, overlap: 4999, unit: 'CHARACTERS' };
  const { id } = await createTask(service, { sourceDatasetId, chunking, checks: { grounding: null } });
  const { status, error, counts } = await endOfTask(service, id);
  assert.deepEqual([status, counts.in, counts.failed], ['COMPLETED', 2, 1], error ?? '');
  const [failed] = await listRecords(service, id, 'verdict=FAILED');
  assert.equal(failed?.source.filePath, 'a-book.txt');
  assert.match(failed?.reason ?? '', /can not be used: The chunks would repeat the text more than 16 times/);
});

test('a run without records says why in words, and a sample without text is not asked for again', async () => {
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': '{"text": " "}\n' });
  const { id } = await createTask(service, { sourceDatasetId });
  const { status, error } = await endOfTask(service, id);
  assert.deepEqual(
    [status, error],
    ['FAILED', 'No record could be made: there is no text in the sample; set input.textField'],
  );
  const [record] = await listRecords(service, id);
  const again = await service.api<Answer<null>>('POST', `/data-synthesis/tasks/${id}/records/${record?.id}/regenerate`);
  assert.equal(again.status, 409, JSON.stringify(again.body));
});

test('empty files are skipped and counted, and a broken one says why without a code', async () => {
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, {
    'blank.md': ' \n\n',
    'broken.pdf': '%PDF-1.7 nothing',
    'empty.csv': 'id,text\n',
    'empty.json': '[]',
    'empty.jsonl': '\n',
    'photo.png': 'PNG',
    'soil.md': soilText,
  });
  const { id } = await createTask(service, { sourceDatasetId });
  const task = await endOfTask(service, id);
  const path = `/data-synthesis/tasks/${id}/runs/${task.lastRunId}`;
  const run = await service.api<Answer<{ skipped: number }>>('GET', path);
  assert.deepEqual([run.body.data.skipped, task.counts.in], [5, 2], 'each of the seven files is told of');
  const log = await service.api<Answer<{ content: { message: string }[] }>>('GET', `${path}/logs`);
  const messages = JSON.stringify(log.body);
  assert.match(messages, /1 file is not meant for text, 4 are empty/);
  assert.match(messages, /Files without a row or word: blank\.md, empty\.csv, empty\.json, empty\.jsonl/);
  const [broken] = await listRecords(service, id, 'verdict=FAILED');
  assert.match(broken?.reason ?? '', /^the sample can not be used: [a-z]/);
});

shared.forAnyDatabase('a forecast of many samples reads a part of them, and scales it to all', async (_t, service) => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `{"text":"row ${1e6 + at}"}\n`).join('');
  const sourceDatasetId = await createSource(service, { 'a.jsonl': lines(1500), 'b.jsonl': lines(3500) });
  const { id } = await createTask(service, { sourceDatasetId, autoStart: false });
  const { body } = await service.api<Answer<{ samples: number; isExact: boolean }>>(
    'GET',
    `/data-synthesis/tasks/${id}/forecast`,
  );
  const { samples, isExact } = body.data;
  assert.equal(isExact, false);
  assert.ok(samples >= 4500 && samples <= 7000, `${samples} of 5000`);
});
