import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyWith, startProvider } from '../../../tests/fakes/model-provider.ts';
import { openCsvAndText } from '../../../tests/support/synthesis.ts';
import { builtInTemplates } from './built-in-templates.ts';
import { partsOf } from './prompts.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

type Answer<T> = { data: T; error?: string };
type Template = { id: string; version: number; name: string; type: string; prompt: string; language: string | null };
type Listed<T> = { content: T[]; totalElements: number };
type Preview = {
  samples: {
    source: { filePath: string; row: number | null; start: number | null };
    messages: { role: string; content: string }[];
    tokens: number;
    problem: string | null;
    record?: {
      verdict: string;
      reason: string | null;
      output: Record<string, unknown> | null;
      usage: { known: boolean };
    };
  }[];
  tokens: number;
  inputCost: number | null;
};

const own = {
  name: 'Headlines',
  type: 'CUSTOM',
  language: 'en',
  systemPrompt: 'You write headlines in a {{tone}} tone.',
  prompt: 'Write a headline.\n\n{{text}}',
  variables: [{ name: 'tone', default: 'sober' }],
  outputSchema: { type: 'object', properties: { headline: { type: 'string' } }, required: ['headline'] },
};

shared.forAnyDatabase('templates are listed, made, changed as versions and deleted', async (_t, { api }) => {
  const list = async (query: string): Promise<Listed<Template>> =>
    (await api<Answer<Listed<Template>>>('GET', `/data-synthesis/templates?${query}`)).body.data;
  const builtIn = await list('builtIn=true&size=100');
  assert.equal(builtIn.totalElements, 14, 'seven types in two languages');
  assert.equal(new Set(builtIn.content.map(({ type, language }) => `${type} ${language}`)).size, 14);
  assert.equal((await list('type=COT')).totalElements, 2);
  assert.equal((await list(`keyword=${encodeURIComponent('问答')}`)).content[0]?.id, 'qa-pairs-zh');

  const created = await api<Answer<Template>>('POST', '/data-synthesis/templates', own);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body.data;
  const path = `/data-synthesis/templates/${id}`;
  assert.equal((await api('POST', '/data-synthesis/templates', { ...own, name: 'HEADLINES' })).status, 409);
  const renamed = await api<Answer<Template>>('PUT', path, { name: 'Titles' });
  assert.equal(renamed.body.data.version, 1, 'another name is no other version');
  const changed = await api<Answer<Template>>('PUT', path, { prompt: 'Write a short headline.\n\n{{text}}' });
  assert.equal(changed.body.data.version, 2);
  const versions = await api<Answer<Listed<Template>>>('GET', `${path}/versions`);
  assert.deepEqual(
    versions.body.data.content.map(({ version, prompt }) => [version, prompt]),
    [
      [2, 'Write a short headline.\n\n{{text}}'],
      [1, own.prompt],
    ],
  );
  assert.equal((await api('PUT', '/data-synthesis/templates/qa-pairs-en', { name: 'x' })).status, 409);
  assert.equal((await api('DELETE', '/data-synthesis/templates/qa-pairs-en')).status, 409);
  assert.equal((await api('DELETE', path)).status, 204);
  assert.equal((await api('GET', path)).status, 404);
});

test('a template that could not be used is refused, and the field is named', async () => {
  const { api } = await shared.open();
  for (const [field, given] of [
    ['prompt', { prompt: 'Write about {{topic}}' }],
    ['prompt', { prompt: ' ' }],
    ['systemPrompt', { systemPrompt: 'In {{place}}' }],
    ['variables', { variables: [{ name: 'tone' }, { name: 'tone' }] }],
    ['variables', { variables: [{ name: 'text' }, { name: 'tone' }] }],
    ['outputSchema', { outputSchema: { type: 'string' } }],
    ['outputSchema', { outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(?=a)' } } } }],
    ['outputSchema', { outputSchema: { type: 'object', properties: { a: { $ref: '#' } } } }],
    ['outputSchema', { outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } }, $defs: {} } }],
    [
      'outputSchema',
      {
        outputSchema: {
          type: 'object',
          properties: { a: { $ref: '#/$defs/list' } },
          $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
        },
      },
    ],
    ['checks', { checks: { grounding: { field: 'answer', min: 0.5 } } }],
    ['type', { type: 'POEM' }],
  ] as const) {
    const { status, body } = await api<{ error: string }>('POST', '/data-synthesis/templates', { ...own, ...given });
    assert.equal(status, 400, JSON.stringify(given));
    assert.match(body.error, new RegExp(`\\b${field}`));
  }
});

test('a preview shows the messages of real samples, and the records of a model', async (t) => {
  const provider = await startProvider(t, replyWith('{"headline": "Soil is worked in spring"}'));
  const service = await shared.open();
  const { api } = service;
  const sourceDatasetId = await openCsvAndText(service);
  const { body: created } = await api<Answer<Template>>('POST', '/data-synthesis/templates', own);
  const path = `/data-synthesis/templates/${created.data.id}/preview`;
  const preview = async (given: object): Promise<Preview> => {
    const { status, body } = await api<Answer<Preview>>('POST', path, { sourceDatasetId, ...given });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const shown = await preview({ limit: 4, variables: { tone: 'loud' } });
  assert.deepEqual(
    shown.samples.map(({ source: { filePath, row }, problem }) => [filePath, row, problem]),
    [
      ['broken.pdf', null, shown.samples[0]?.problem],
      ['notes/soil.md', null, null],
      ['rows.csv', 1, null],
      ['rows.csv', 2, null],
    ],
  );
  assert.match(shown.samples[0]?.problem ?? '', /can not be used/);
  const [, document, first] = shown.samples;
  assert.match(document?.messages[0]?.content ?? '', /^You write headlines in a loud tone\.\n\nWhat stands between/);
  assert.match(document?.messages[1]?.content ?? '', /^Write a headline\.\n\n<text>\n# Soil[^]*\n<\/text>$/);
  assert.match(first?.messages[1]?.content ?? '', /<text>\nHarrows, "heavy" ones\n<\/text>/);
  assert.equal(
    shown.tokens,
    shown.samples.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  assert.equal(shown.inputCost, null);
  assert.equal(provider.requests.length, 0, 'without a model none is called');

  const model = await api<Answer<{ id: string }>>('POST', '/settings/models', {
    name: 'Headliner',
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    model: 'test-1',
    prices: { input: 1, output: 2 },
  });
  const input = { fileTypes: ['csv'] };
  const withModel = { limit: 1, model: model.body.data.id, input };
  const { samples, tokens, inputCost } = await preview(withModel);
  assert.deepEqual(samples[0]?.record?.output, { headline: 'Soil is worked in spring' });
  assert.equal(inputCost, tokens / 1e6);
  assert.equal((await preview(withModel)).samples[0]?.record?.usage.known, true);
  assert.equal(provider.requests.length, 1, 'the ledger has the reply of the first preview');
  const changed = await preview({ limit: 1, input, changes: { prompt: 'Shout about {{text}}' } });
  assert.match(changed.samples[0]?.messages[1]?.content ?? '', /^Shout about <text>/);
  const kept = await preview({ limit: 1, input });
  assert.match(kept.samples[0]?.messages[1]?.content ?? '', /^Write a headline/, 'changes are not stored');
  const undeclared = await api('POST', path, { sourceDatasetId, changes: { prompt: '{{unknown}}' } });
  assert.equal(undeclared.status, 400);
  assert.equal((await api('POST', path, { sourceDatasetId, variables: { other: 'x' } })).status, 400);
  assert.equal((await api('POST', path, { sourceDatasetId: 'none' })).status, 404);
});

test('the built-in model makes questions of real samples by the built-in templates', async () => {
  const service = await shared.open();
  const sourceDatasetId = await openCsvAndText(service);
  const { body } = await service.api<Answer<Preview>>('POST', '/data-synthesis/templates/qa-pairs-en/preview', {
    sourceDatasetId,
    input: { fileTypes: ['md'] },
    model: 'builtin:cloze',
  });
  const [record] = body.data.samples.map((sample) => sample.record);
  assert.equal(record?.verdict, 'KEPT', JSON.stringify(record));
  assert.match(String(record.output?.['question']), /____/);
  const refused = await service.api<{ error: string }>('POST', '/data-synthesis/templates/preference-zh/preview', {
    sourceDatasetId,
    model: 'builtin:cloze',
  });
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /^model can not make what outputSchema of the template wants/);
});

test('built-in templates say in their prompt which fields their schema wants', () => {
  for (const { id, prompt, outputSchema } of builtInTemplates) {
    const fields = Object.keys((outputSchema as { properties: object }).properties);
    for (const field of fields) assert.match(prompt, new RegExp(`"${field}"`), `${id}: ${field}`);
    assert.ok(
      partsOf(prompt).some((part) => 'variable' in part && part.variable === 'text'),
      id,
    );
  }
});

test('a template of columns is kept with its versions, and one that could not be used is refused', async () => {
  const { api } = await shared.open();
  type Columned = Template & { columns: { name: string }[] | null };
  const columns = [
    { name: 'tone', kind: 'SAMPLER', sampler: 'CATEGORY', values: [{ value: 'calm', weight: 2 }], seed: 1 },
    { name: 'headline', kind: 'MODEL', prompt: 'Write a {{tone}} headline.\n\n{{text}}' },
  ];
  const given = { name: 'Columns', type: 'CUSTOM', columns };
  const post = async (change: object) =>
    api<Answer<Columned>>('POST', '/data-synthesis/templates', { ...given, ...change });
  const created = await post({});
  assert.equal(created.status, 201, JSON.stringify(created.body));
  assert.deepEqual([created.body.data.prompt, created.body.data.columns], ['', columns]);
  for (const [change, message] of [
    [{ prompt: 'Write.' }, /prompt must not be given together with columns/],
    [{ columns: null }, /prompt is required unless columns is given/],
    [{ columns: [...columns, columns[0]] }, /columns\[2\]\.name is the name of an earlier column: tone/],
    [{ columns: columns.slice(1) }, /columns\[0\]\.prompt names neither a column nor a variable: tone/],
    [{ checks: { grounding: { field: 'answer', min: 0.5 } } }, /names no field of outputSchema: answer/],
  ] as const) {
    const { status, body } = await post({ name: 'Other', ...change });
    assert.equal(status, 400, JSON.stringify(change));
    assert.match(body.error ?? '', message);
  }
  const path = `/data-synthesis/templates/${created.body.data.id}`;
  const prompted = await api<Answer<Columned>>('PUT', path, { prompt: 'Write.\n\n{{text}}' });
  assert.deepEqual([prompted.body.data.version, prompted.body.data.columns], [2, null]);
  const again = await api<Answer<Columned>>('PUT', path, { columns });
  assert.deepEqual([again.body.data.version, again.body.data.prompt, again.body.data.columns], [3, '', columns]);
  assert.deepEqual((await api<Answer<Columned>>('PUT', path, { name: 'Same' })).body.data.columns, columns);
});
