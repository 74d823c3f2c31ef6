import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completion, send, startProvider } from '../../../../tests/fakes/model-provider.ts';
import { createSource, createTask, endOfTask, listRecords, readRows } from '../../../../tests/support/synthesis.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

type Answer<T> = { data: T; error?: string };
type Shown = { name: string; kind: string; value: unknown; messages: { role: string; content: string }[] };
type Columned = Awaited<ReturnType<typeof listRecords>>[number] & { column: string | null; columns: Shown[] | null };

const columns = [
  { name: 'tone', kind: 'SAMPLER', sampler: 'CATEGORY', values: [{ value: 'calm' }, { value: 'loud' }], seed: 7 },
  { name: 'person', kind: 'SAMPLER', sampler: 'ROW', hidden: true },
  { name: 'question', kind: 'MODEL', prompt: 'ASK in a {{tone}} tone as {{person.job}}.\n{{text}}' },
  { name: 'form', kind: 'VALIDATOR', of: ['question'], pattern: String.raw`\?$` },
  {
    name: 'pair',
    kind: 'MODEL',
    prompt: 'ANSWER {{question}}\n{{text}}',
    hidden: true,
    outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  },
  { name: 'answer', kind: 'EXPRESSION', expression: 'pair.answer + " (" + tone + ")"' },
  { name: 'grade', kind: 'JUDGE', of: ['question', 'answer'], rubric: 'GRADE it as {{person.job}}.', minScore: 5 },
];

/** Each row is named after the column at which its record ends. */
const rows = ['fine', 'form', 'pair', 'grade', 'other'].map((kind) => `${JSON.stringify({ text: `Soil ${kind}` })}\n`);

shared.forAnyDatabase(
  'records are made column by column, and a change makes anew what depends on it alone',
  async (t, service) => {
    let suffix = '';
    const asked: string[] = [];
    const provider = await startProvider(t, ({ body }, response) => {
      const prompt = body.messages?.map(({ content }) => content).join('\n') ?? '';
      const kind = /Soil (\w+)/.exec(prompt)?.[1] ?? '';
      const step = /ASK|ANSWER|GRADE/.exec(prompt)?.[0] ?? '';
      asked.push(`${step} ${kind}`);
      const reply = {
        ASK: `What about ${kind}${kind === 'form' ? '.' : '?'}`,
        ANSWER: kind === 'pair' ? '{"wrong": 1}' : JSON.stringify({ answer: `${kind} soil${suffix}` }),
        GRADE: JSON.stringify({ score: kind === 'grade' ? 2 : 9, reason: 'so it is' }),
      }[step];
      send(response, 200, completion(reply ?? ''));
    });
    const { body: model } = await service.api<Answer<{ id: string }>>('POST', '/settings/models', {
      name: 'Stub of columns',
      kind: 'CHAT',
      baseUrl: provider.baseUrl,
      model: 'stub',
    });
    const datasetId = await createSource(service, { 'people.csv': 'job\nfarmer\n' }, 'People');
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows.join('') });
    const given = columns.map((column) => (column.name === 'person' ? { ...column, datasetId } : column));
    const { body: template } = await service.api<Answer<{ id: string }>>('POST', '/data-synthesis/templates', {
      name: 'Columns',
      type: 'QA_PAIRS',
      columns: given,
      checks: { similarToRecords: null },
    });
    const path = `/data-synthesis/templates/${template.data.id}`;
    type Preview = { samples: { columns: Shown[]; tokens: number; record?: { output: object | null } }[] };
    const preview = async (change: object): Promise<Preview['samples'][number]> => {
      const { status, body } = await service.api<Answer<Preview>>('POST', `${path}/preview`, {
        sourceDatasetId,
        limit: 1,
        ...change,
      });
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.samples[0] ?? assert.fail();
    };
    const outline = await preview({});
    assert.equal(asked.length, 0, 'without a model none is called');
    assert.match(
      outline.columns[2]?.messages[1]?.content ?? '',
      /^ASK in a (?:calm|loud) tone as <field name="person.job">farmer/,
    );
    assert.match(outline.columns[3]?.messages[1]?.content ?? '', /^ANSWER <field name="question">…<\/field>/);
    const tried = await preview({ model: model.data.id });
    assert.deepEqual(asked.splice(0), ['ASK fine', 'ANSWER fine', 'GRADE fine']);

    const task = { model: model.data.id, templateId: template.data.id, sourceDatasetId, format: 'ALPACA' };
    const { id } = await createTask(service, task);
    const ended = await endOfTask(service, id);
    assert.deepEqual([ended.counts.in, ended.counts.kept, ended.counts.dropped], [5, 2, 3]);
    assert.deepEqual(
      asked.splice(0).toSorted(),
      // The pair is repaired once. The preview already paid for the fine one; an ended record causes no further calls.
      [
        'ANSWER grade',
        'ANSWER other',
        'ANSWER pair',
        'ANSWER pair',
        'ASK form',
        'ASK grade',
        'ASK other',
        'ASK pair',
        'GRADE grade',
        'GRADE other',
      ],
    );
    const records = (await listRecords(service, id)) as Columned[];
    assert.deepEqual(
      records.map(({ verdict, column, reasonCode }) => [verdict, column, reasonCode]),
      [
        ['KEPT', null, null],
        ['DROPPED', 'form', 'SYNTHESIS_NO_MATCH'],
        ['DROPPED', 'pair', 'SYNTHESIS_SCHEMA'],
        ['DROPPED', 'grade', 'SYNTHESIS_JUDGED'],
        ['KEPT', null, null],
      ],
    );
    const [fine, , , graded] = records;
    assert.deepEqual(fine?.output, tried.record?.output, 'a run draws what the preview has drawn');
    assert.deepEqual(Object.keys(fine?.output ?? {}), ['tone', 'question', 'answer', 'grade']);
    assert.deepEqual(
      fine?.columns?.map(({ name }) => name),
      ['tone', 'person', 'question', 'pair', 'answer', 'grade'],
      'hidden ones are shown with the record',
    );
    assert.match(
      fine?.columns?.[3]?.messages[1]?.content ?? '',
      /^ANSWER <field name="question">What about fine\?<\/field>/,
    );
    assert.deepEqual([fine?.score, graded?.score], [9, 2]);
    assert.equal((await listRecords(service, id, 'column=form')).length, 1);
    const written = await readRows(service, ended.targetDatasetId ?? '');
    assert.deepEqual(
      written.map(({ instruction, output }) => [instruction, String(output).replace(/ \(\w+\)$/, '')]),
      [
        ['What about fine?', 'fine soil'],
        ['What about other?', 'other soil'],
      ],
    );

    // After a change to the answer's prompt, questions stay; answers and grades are made anew.
    suffix = ', changed';
    const changed = given.map((column) =>
      column.name === 'pair' ? { ...column, prompt: `${column.prompt}\nBe brief.` } : column,
    );
    await service.api('PUT', path, { columns: changed });
    await service.api('PUT', `/data-synthesis/tasks/${id}`, { templateId: template.data.id });
    await service.api('POST', `/data-synthesis/tasks/${id}/execute`, {});
    assert.equal((await endOfTask(service, id)).counts.kept, 2);
    const again = asked.splice(0);
    assert.deepEqual(
      again.filter((one) => one.startsWith('ASK')),
      [],
    );
    assert.deepEqual(again.filter((one) => one.startsWith('GRADE')).toSorted(), [
      'GRADE fine',
      'GRADE grade',
      'GRADE other',
    ]);
    // After a change to the rubric, only grades are made anew.
    const regraded = changed.map((column) =>
      column.name === 'grade' ? { ...column, rubric: 'GRADE it twice.' } : column,
    );
    await service.api('PUT', path, { columns: regraded });
    await service.api('PUT', `/data-synthesis/tasks/${id}`, { templateId: template.data.id });
    await service.api('POST', `/data-synthesis/tasks/${id}/execute`, {});
    await endOfTask(service, id);
    assert.deepEqual(asked.splice(0).toSorted(), ['GRADE fine', 'GRADE grade', 'GRADE other']);

    const record = `/data-synthesis/tasks/${id}/records/${fine?.id}`;
    const regenerated = await service.api<Answer<Columned>>('POST', `${record}/regenerate`);
    assert.equal(regenerated.status, 200, JSON.stringify(regenerated.body));
    assert.deepEqual(asked.splice(0), ['ASK fine', 'ANSWER fine', 'GRADE fine'], 'one call of each column');
    assert.equal(regenerated.body.data.output?.['tone'], fine?.output?.['tone'], 'samplers keep what they drew');
    assert.equal(
      (await service.api('PATCH', record, { output: { tone: 'calm' } })).status,
      400,
      'edits fit the columns',
    );
    const output = { ...fine?.output, question: 'Why?' };
    assert.equal((await service.api('PATCH', record, { output })).status, 200);
  },
);

test('numbers keep all digits from the source over expressions and replies to the result, or the record fails', async (t) => {
  const prompts: string[] = [];
  const provider = await startProvider(t, ({ body }, response) => {
    prompts.push(body.messages?.at(-1)?.content ?? '');
    send(response, 200, completion('{"number": 9007199254740993, "unit": "t"}'));
  });
  const service = await shared.open();
  const { body: model } = await service.api<Answer<{ id: string }>>('POST', '/settings/models', {
    name: 'Stub of numbers',
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    model: 'stub',
  });
  const outputSchema = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] };
  const { body: template } = await service.api<Answer<{ id: string }>>('POST', '/data-synthesis/templates', {
    name: 'Numbers',
    type: 'CUSTOM',
    columns: [
      { name: 'key', kind: 'EXPRESSION', expression: 'row.key' },
      { name: 'after', kind: 'EXPRESSION', expression: 'row.key + 1' },
      { name: 'reply', kind: 'MODEL', prompt: 'The price is {{row.price}}', outputSchema },
    ],
    checks: { similarToRecords: null, minCharacters: 0 },
  });
  const lines = [
    '{"text":"a","key":9007199254740993,"price":0.12345678901234567890}',
    '{"text":"b","key":99999999999999999999,"price":1}',
  ];
  const { id } = await createTask(service, {
    model: model.data.id,
    templateId: template.data.id,
    sourceDatasetId: await createSource(service, { 'rows.jsonl': `${lines.join('\n')}\n` }),
  });
  const { targetDatasetId, counts } = await endOfTask(service, id);
  const records = await listRecords(service, id);
  assert.deepEqual([counts.kept, counts.failed], [1, 1], JSON.stringify(records));
  assert.match(prompts.join(), />0\.12345678901234567890</);
  assert.match(records[1]?.reason ?? '', /99999999999999999999 has more digits than an expression can hold/);
  const files = `/data-management/datasets/${targetDatasetId}/files`;
  const { body: listed } = await service.api<{ content: { id: string }[] }>('GET', files);
  const { body: bytes } = await service.api<Buffer>('GET', `${files}/${listed.content[0]?.id}/download`);
  const expected = '{"key":9007199254740993,"after":9007199254740994,"reply":{"number":9007199254740993,"unit":"t"}}';
  assert.equal(String(bytes), `${expected}\n`);
  const shown = await fetch(`${service.url}/api/v1/data-synthesis/tasks/${id}/records`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  assert.ok((await shown.text()).includes(`"output":${expected}`));
  const rounded = await service.api<{ error: string }>(
    'PATCH',
    `/data-synthesis/tasks/${id}/records/${records[0]?.id}`,
    {
      output: { key: 9007199254740992, after: 0, reply: { number: 1 } },
    },
  );
  assert.deepEqual([rounded.status, /which may be rounded/.test(rounded.body.error)], [400, true]);
});
