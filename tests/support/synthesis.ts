import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { completion, send, type Answer, type FakeProvider } from '../fakes/model-provider.ts';
import type { Api } from './api.ts';

export const soilText = `# Soil

Tillage loosens the upper layer of the soil before the seeds are sown in spring. A disc harrow cuts the roots of weeds and crumbles heavy clods.

Irrigation brings water to dry fields, and drains under the furrows lead the rest of it away to the river.
`;

/** Creates a dataset of named files; returns its id. */
export async function createSource(
  service: Api,
  files: Readonly<Record<string, string>>,
  name = 'Source',
): Promise<string> {
  const created = await service.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body;
  await uploadFiles(service, id, files);
  return id;
}

/** Adds files to a dataset, as one version. */
export async function uploadFiles(
  service: Api,
  datasetId: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const path = `/data-management/datasets/${datasetId}/files/upload`;
  const entries = Object.entries(files);
  const totalSize = entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  const announced = { totalFileNum: entries.length, totalSize };
  const { body: reqId } = await service.api<string>('POST', `${path}/pre-upload`, announced);
  for (const [index, [name, text]] of entries.entries()) {
    const form = new FormData();
    const fields = { reqId, fileNo: index + 1, fileName: name, totalChunkNum: 1, chunkNo: 1 };
    for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
    form.set('file', new Blob([text]), name);
    const { status, body } = await service.api('POST', `${path}/chunk`, form);
    assert.equal(status, 200, JSON.stringify(body));
  }
}

/** A dataset with a broken PDF, a document and a table of two rows. */
export function openCsvAndText(service: Api): Promise<string> {
  return createSource(service, {
    'broken.pdf': '%PDF-1.7 nothing',
    'notes/soil.md': soilText,
    'rows.csv': 'id,text\n1,"Harrows, ""heavy"" ones"\n2,Ploughs turn the furrow slice\n',
  });
}

export type SynthesisTask = {
  id: string;
  status: string;
  error: string | null;
  lastRunId: string | null;
  targetDatasetId: string | null;
  templateVersion: number;
  counts: { in: number; kept: number; dropped: number; failed: number; emitted: number };
};

export type SynthesisRecord = {
  id: string;
  number: number;
  verdict: string;
  reason: string | null;
  reasonCode: string | null;
  output: Record<string, unknown> | null;
  generated: Record<string, unknown> | null;
  prompt: { role: string; content: string }[];
  usage: { inputTokens: number; outputTokens: number; cost: number | null; known: boolean };
  score: number | null;
  mended: string[];
  source: { filePath: string; version: number; row: number | null; start: number | null; end: number | null };
  sourceText: string | null;
  sequence: number;
  edited: boolean;
  review: string | null;
  reviewReason: string | null;
};

type Enveloped<T> = { data: T; error?: string };

/** Creates a task; returns it. */
export async function createTask(service: Api, given: object): Promise<SynthesisTask> {
  const { status, body } = await service.api<Enveloped<SynthesisTask>>('POST', '/data-synthesis/tasks', {
    name: 'Questions',
    templateId: 'qa-pairs-en',
    model: 'builtin:cloze',
    ...given,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** The task, once its run has ended. */
export async function endOfTask(service: Api, id: string): Promise<SynthesisTask> {
  for (;;) {
    const { body } = await service.api<Enveloped<SynthesisTask>>('GET', `/data-synthesis/tasks/${id}`);
    if (body.data.status !== 'RUNNING') {
      const { in: all, kept, dropped, failed } = body.data.counts;
      assert.equal(all, kept + dropped + failed, 'the counts reconcile');
      return body.data;
    }
    await setTimeout(20);
  }
}

export async function listRecords(service: Api, id: string, query = ''): Promise<SynthesisRecord[]> {
  const path = `/data-synthesis/tasks/${id}/records?size=1000&${query}`;
  const { status, body } = await service.api<Enveloped<{ content: SynthesisRecord[] }>>('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.content;
}

/** The rows of the only file of a dataset. */
export async function readRows(service: Api, datasetId: string): Promise<Record<string, unknown>[]> {
  const path = `/data-management/datasets/${datasetId}/files`;
  const { body } = await service.api<{ content: { id: string; fileName: string }[] }>('GET', path);
  assert.equal(body.content.length, 1, JSON.stringify(body));
  const { body: bytes } = await service.api<Buffer>('GET', `${path}/${body.content[0]?.id}/download`);
  return String(bytes)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

let models = 0;

/** Creates a model of chat that the provider answers for; returns its id. */
export async function createModel(service: Api, provider: FakeProvider, rest: object = {}): Promise<string> {
  const { body } = await service.api<Enveloped<{ id: string }>>('POST', '/settings/models', {
    name: `Stub ${(models += 1)}`,
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    model: 'test-1',
    prices: { input: 1, output: 2 },
    limits: { timeoutSeconds: 10, concurrency: 4 },
    ...rest,
  });
  return body.data.id;
}

/** The text that a request is about. */
export function textOf({ body }: { body: { messages?: { content: string }[] } }): string {
  return /<text>\n([^]*)\n<\/text>/.exec(body.messages?.at(-1)?.content ?? '')?.[1] ?? '';
}

/** Answers with a pair whose answer is taken from the text. */
export const pair: Answer = (request, response) => {
  const text = textOf(request);
  send(response, 200, completion(JSON.stringify({ question: `What is said of ${text.slice(0, 9)}?`, answer: text })));
};

/** Lines of rows, each about a field of its own. */
export const rows = (count: number, prefix = 'row'): string =>
  Array.from(
    { length: count },
    (_, at) => `${JSON.stringify({ text: `${prefix}${at} wheat is sown on field ${at * 7}` })}\n`,
  ).join('');
