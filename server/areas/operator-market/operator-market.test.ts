import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNewSqlite } from '../../../tests/support/databases.ts';
import { openEngine } from '../../../tests/support/engine.ts';
import { longTests } from '../../../tests/support/long-tests.ts';
import { operators, parseParams } from '../../operators/index.ts';
import { createSpeeds } from './speeds.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Operator = {
  id: string;
  paramsSchema: { properties: object };
  installed: boolean;
  digest: string;
  readme: string;
  thresholds: object[];
  wholeSet: boolean;
  reads: string[];
  examples: { title: string; params: object; input: string; output: string[]; dropped: string | null }[];
  setExamples: { inputs: string[]; outputs: { text: string | null; dropped: string | null }[] }[];
  usageCount: number;
};
type Page = { data: { content: Operator[]; totalElements: number } };

test('operators are listed, filtered and shown', async () => {
  const { api } = await shared.open();
  const ids = async (query = ''): Promise<string[]> => {
    const { status, body } = await api<Page>('GET', `/operator-market/operators${query}`);
    assert.equal(status, 200);
    return body.data.content.map(({ id }) => id);
  };
  const sorted = operators.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
  assert.deepEqual((await ids('?size=1000')).sort(), sorted.toSorted());
  assert.deepEqual(await ids('?sort=id,asc&size=1&page=1'), sorted.slice(1, 2));
  assert.deepEqual(await ids('?sort=id,desc&size=2'), sorted.slice(-2).reverse());
  const of = (holds: (operator: (typeof operators)[number]) => boolean): string[] =>
    operators.filter(holds).map(({ id }) => id);
  assert.deepEqual((await ids('?kind=FILTER&size=1000')).sort(), of(({ kind }) => kind === 'FILTER').sort());
  assert.deepEqual((await ids('?kind=DEDUPLICATOR')).sort(), of(({ kind }) => kind === 'DEDUPLICATOR').sort());
  assert.deepEqual(
    (await ids('?modality=TEXT&source=BUILT_IN&installed=true&size=1000')).sort(),
    of(({ modality }) => modality === 'TEXT').sort(),
  );
  assert.deepEqual((await ids('?modality=IMAGE&size=1000')).sort(), of(({ modality }) => modality === 'IMAGE').sort());
  assert.deepEqual(await ids('?category=whitespace'), ['whitespace-normalizer']);
  assert.deepEqual(await ids('?keyword=CONTROL-char'), ['control-character-remover']);
  assert.deepEqual(await ids('?installed=false'), []);
  assert.deepEqual(await ids('?source=PUBLISHED'), []);
  assert.equal((await api('GET', '/operator-market/operators?kind=NONE')).status, 400);

  const { body } = await api<{ data: Operator }>('GET', '/operator-market/operators/text-length-filter');
  assert.deepEqual(Object.keys(body.data.paramsSchema.properties), ['min', 'max', 'unit']);
  assert.ok(body.data.installed && body.data.examples.length > 0);
  assert.match(body.data.digest, /^[0-9a-f]{64}$/);
  assert.equal((await api('GET', '/operator-market/operators/none')).status, 404);

  assert.deepEqual(body.data.thresholds, [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ]);
  assert.match(body.data.readme, /^# Filter by text length\n/);
  assert.ok(body.data.readme.includes('| `min` | integer, 0 to 1000000000 | `1` |'));
  assert.ok(body.data.readme.includes('| `unit` | "CHARACTERS", "WORDS", "TOKENS" | `"CHARACTERS"` |'));
  const set = (await api<{ data: Operator }>('GET', '/operator-market/operators/exact-deduplicator')).body.data;
  assert.ok(set.wholeSet && !body.data.wholeSet);
  for (const { inputs, outputs } of set.setExamples) assert.equal(inputs.length, outputs.length);
  assert.ok(set.setExamples.flatMap(({ outputs }) => outputs).some(({ dropped }) => dropped !== null));
  assert.equal(set.readme.match(/^\| The first one is kept/gm)?.length, 1, 'the samples of a set stand together');
});

test('the tasks that use an operator are counted', async () => {
  const { api } = await shared.open();
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Raw', type: 'TEXT' });
  const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'whitespace-normalizer' }];
  for (const name of ['one', 'two']) {
    assert.equal((await api('POST', '/data-cleaning/tasks', { name, sourceDatasetId: body.id, steps })).status, 201);
  }
  const page = await api<Page>('GET', '/operator-market/operators?size=100');
  for (const { id, usageCount } of page.body.data.content)
    assert.equal(usageCount, id === 'whitespace-normalizer' ? 2 : 0, id);
});

type Trial = {
  data: {
    results: { verdict: string; texts: string[]; truncated: boolean; score: number | null; reason: string | null }[];
    tookMs: number;
  };
  error?: string;
};

test('an operator is tried on texts, each with its result', async () => {
  const { api } = await shared.open();
  const attempt = (id: string, body: object) => api<Trial>('POST', `/operator-market/operators/${id}/try`, body);
  const texts = (...given: string[]) => given.map((text) => ({ text }));

  const filtered = await attempt('text-length-filter', { params: { min: 3 }, samples: texts('long enough', 'no', '') });
  assert.equal(filtered.status, 200);
  assert.deepEqual(
    filtered.body.data.results.map(({ verdict, texts: after, score }) => ({ verdict, after, score })),
    [
      { verdict: 'KEPT', after: ['long enough'], score: 11 },
      { verdict: 'DROPPED', after: [], score: 2 },
      { verdict: 'DROPPED', after: [], score: 0 },
    ],
  );
  assert.ok(filtered.body.data.tookMs > 0);

  const odd = '"quoted"\n a\\b 中文 \u{1f600}';
  const masked = await attempt('email-masker', { samples: texts('To a@example.org', odd) });
  assert.deepEqual(
    masked.body.data.results.map(({ verdict, texts: after }) => [verdict, ...after]),
    [
      ['CHANGED', 'To [EMAIL]'],
      ['KEPT', odd],
    ],
  );

  // For operators on columns, a text that is a JSON object is a row, so their examples can be tried unchanged.
  for (const { id, reads, wholeSet, examples } of (await api<Page>('GET', '/operator-market/operators?size=1000')).body
    .data.content) {
    if (!reads.includes('columns') || wholeSet) continue;
    for (const { title, params, input, output, dropped } of examples) {
      const tried = await attempt(id, { params, samples: texts(input) });
      assert.equal(tried.status, 200, `${id}: ${title}`);
      const [result] = tried.body.data.results;
      const fails = result?.verdict === 'FAILED' || result?.verdict === 'DROPPED';
      const got = fails ? [result.reason] : result?.texts;
      // White space within a row is ignored, but the order of its columns is compared.
      const rows = (shown: readonly (string | null | undefined)[] | undefined) =>
        shown?.map((text) => (text?.startsWith('{') === true ? JSON.stringify(JSON.parse(text)) : text));
      assert.deepEqual(rows(got), rows(dropped === null ? output : [dropped]), `${id}: ${title}`);
    }
  }

  // A whole-set operator compares the given texts with each other.
  const deduplicated = await attempt('exact-deduplicator', { samples: texts('one', 'two', 'one') });
  assert.deepEqual(
    deduplicated.body.data.results.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['KEPT', null],
      ['KEPT', null],
      ['DROPPED', 'duplicate of text 1'],
    ],
  );

  const long = await attempt('control-character-remover', { samples: texts('x'.repeat(30_000)) });
  assert.deepEqual(
    long.body.data.results.map(({ texts: [after], truncated }) => [after?.length, truncated]),
    [[20_000, true]],
  );
});

test('a trial that can not be made names what is wrong', async () => {
  const { api } = await shared.open();
  const refused = async (id: string, body: object): Promise<[number, string]> => {
    const { status, body: answer } = await api('POST', `/operator-market/operators/${id}/try`, body);
    return [status, JSON.stringify(answer)];
  };
  const samples = [{ text: 'a' }];
  assert.equal((await refused('no-such-operator', { samples }))[0], 404);
  for (const [body, place] of [
    [{ samples: [] }, 'samples'],
    [{ samples: Array.from({ length: 101 }, () => ({ text: '' })) }, 'samples'],
    [{ samples, version: '99.0.0' }, 'version'],
    [{ samples, params: { min: -1 } }, 'params.min'],
    [{ samples, params: { min: 5, max: 2 } }, 'params.min'],
  ] as const) {
    const [status, answer] = await refused('text-length-filter', body);
    assert.equal(status, 400, answer);
    assert.ok(answer.includes(place), answer);
  }
});

test('operators of texts and of pictures are measured, and one without defaults says why it is not', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-speeds-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const { engine, close } = await openEngine(db, directory);
  t.after(async () => {
    await close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  const unset = operators.find((operator) => !parseParams(operator, {}).ok);
  const some = operators.filter(({ id }) => ['whitespace-normalizer', 'image-denoiser', unset?.id].includes(id));
  const { speeds } = await createSpeeds({ engine, operators: some, waitMs: 120_000 }).list();
  const speedOf = (id: string | undefined) => speeds.find(({ operatorId }) => operatorId === id);
  const [text, picture, none] = ['whitespace-normalizer', 'image-denoiser', unset?.id].map(speedOf);
  assert.deepEqual([text?.unit, picture?.unit, none?.samplesPerSecond], ['DOCUMENTS', 'PICTURES', null]);
  assert.match(none?.reason ?? '', /has no default/);
  assert.ok((text?.samplesPerSecond ?? 0) > 100, JSON.stringify(text));
  const slow = picture?.samplesPerSecond ?? 0;
  assert.ok(slow > 0 && slow < 1000, `${slow}: a median of a megapixel takes more than a millisecond`);
});

longTests(() => {
  test('each operator is measured on this machine', async () => {
    const { api } = await shared.open();
    type Speed = {
      operatorId: string;
      unit: string;
      samplesPerSecond: number | null;
      reason: string | null;
      pending: boolean;
    };
    const ask = async (): Promise<Speed[]> => {
      const { status, body } = await api<{ data: { speeds: Speed[] } }>('GET', '/operator-market/speeds');
      assert.equal(status, 200);
      return body.data.speeds;
    };
    let speeds = await ask();
    while (speeds.some(({ pending }) => pending)) speeds = await ask();
    assert.deepEqual(
      speeds.map(({ operatorId, unit }) => [operatorId, unit]),
      operators.map(({ id, reads }) => [id, reads.includes('media') ? 'PICTURES' : 'DOCUMENTS']),
    );
    const slowest = speeds.find(({ operatorId }) => operatorId === 'image-denoiser')?.samplesPerSecond ?? 0;
    assert.ok(slowest > 0 && slowest < 1000, `${slowest}: a median of a megapixel takes more than a millisecond`);
    for (const { operatorId, samplesPerSecond, reason } of speeds) {
      if (samplesPerSecond === null) assert.match(reason ?? '', /has no default/, operatorId);
      else assert.ok(samplesPerSecond > 0.1, operatorId);
    }
    assert.deepEqual(await ask(), speeds);
  });
});

test('speeds are answered before all of them are measured, and say which are pending', async () => {
  const asked: string[] = [];
  const turns = new Map<string, () => void>();
  const first = operators.filter((operator) => parseParams(operator, {}).ok).slice(0, 2);
  const { list } = createSpeeds({
    operators: first,
    waitMs: 20,
    engine: {
      async measureSpeed({ step: { operatorId } }) {
        asked.push(operatorId);
        await new Promise<void>((resolve) => turns.set(operatorId, resolve));
        return { samples: 5, cpuMs: 10 };
      },
    },
  });
  const told = async (): Promise<[number | null, boolean][]> =>
    (await list()).speeds.map(({ samplesPerSecond, pending }) => [samplesPerSecond, pending]);
  const unknown: [null, boolean] = [null, true];
  assert.deepEqual(await told(), [unknown, unknown]);
  turns.get(first[0]?.id ?? '')?.();
  assert.deepEqual(await told(), [[500, false], unknown]);
  turns.get(first[1]?.id ?? '')?.();
  assert.deepEqual(await told(), [
    [500, false],
    [500, false],
  ]);
  assert.deepEqual(asked, [first[0]?.id, first[1]?.id], 'each is measured once');
});
