// Runs of synthesis on a cluster, with a provider of models that can hold back its replies.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { completion, send, startProvider, type FakeProvider } from '../fakes/model-provider.ts';
import { openDatabase } from '../../server/storage/database/database.ts';
import type { ClusterPlace } from './cluster-service.ts';
import type { Api } from './api.ts';
import type { Ending } from './server.ts';
import { createTask, endOfTask, listRecords, readRows, type SynthesisTask } from './synthesis.ts';

/** Rows that are not near-duplicates of each other. */
export function rowsToAskAbout(count: number): string {
  return Array.from({ length: count }, (_, row) => {
    const words = createHash('sha512').update(String(row)).digest('hex').match(/.{8}/g) ?? [];
    return `${JSON.stringify({ text: `row${row} ${words.join(' ')}` })}\n`;
  }).join('');
}

export type HoldingProvider = FakeProvider & {
  /** Number of replies held back. */
  readonly held: number;
  /** Releases the held replies and answers this many further requests at once; later ones are held back again. */
  answerNext(count: number): void;
};

/** A provider that replies with a pair about the text of the request; at first to `count` requests. */
export async function startPairProvider(t: Ending, count = Number.POSITIVE_INFINITY): Promise<HoldingProvider> {
  let left = count;
  let held: (() => void)[] = [];
  const provider = await startProvider(t, ({ body }, response) => {
    const prompt = body.messages?.findLast(({ role }) => role === 'user')?.content ?? '';
    const text = /<text>\n([^]*)\n<\/text>/.exec(prompt)?.[1] ?? '';
    const answer = (): void =>
      send(response, 200, completion(JSON.stringify({ question: `What of ${text.slice(0, 20)}?`, answer: text })));
    left -= 1;
    if (left >= 0) return answer();
    held.push(answer);
    response.once('close', () => (held = held.filter((one) => one !== answer)));
  });
  return Object.defineProperty(
    Object.assign(provider, {
      held: 0,
      answerNext(next: number) {
        left = next;
        for (const answer of held.splice(0)) answer();
      },
    }),
    'held',
    { get: () => held.length },
  );
}

/** Creates a task whose first run has started. */
export async function addSynthesis(
  service: Api,
  { provider, name, sourceDatasetId }: { provider: FakeProvider; name: string; sourceDatasetId: string },
): Promise<SynthesisTask & { modelId: string }> {
  const { status, body } = await service.api<{ data: { id: string } }>('POST', '/settings/models', {
    name,
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    // The ledger may already have calls of another model.
    model: name,
    limits: { concurrency: 4, timeoutSeconds: 600 },
  });
  assert.equal(status, 201, JSON.stringify(body));
  const task = await createTask(service, { name, sourceDatasetId, model: body.data.id, checks: { language: null } });
  return { ...task, modelId: body.data.id };
}

/** The result of a run, except its ids and times. */
export async function recordsOf(service: Api, id: string) {
  const { status, error, counts, targetDatasetId } = await endOfTask(service, id);
  const records = (await listRecords(service, id)).map(
    ({ number, verdict, reason, output, prompt, usage, sourceText, source: { filePath, row, start, end } }) => {
      return { number, verdict, reason, output, prompt, usage, sourceText, place: { filePath, row, start, end } };
    },
  );
  const rows = targetDatasetId === null ? [] : await readRows(service, targetDatasetId);
  return { status, error, counts, records, rows };
}

/** The row that a request is about. */
function rowOf(request: string): string | undefined {
  return /row\d+(?= )/.exec(request)?.[0];
}

/** How often a provider received a request about each row. */
export function timesAsked({ requests }: FakeProvider): Map<string, number> {
  const times = new Map<string, number>();
  for (const { body } of requests) {
    const row = rowOf(body.messages?.at(-1)?.content ?? '') ?? '';
    times.set(row, (times.get(row) ?? 0) + 1);
  }
  return times;
}

/** The calls of a model in the ledger: the finished ones, by row. */
export async function callsOf({ databaseUrl }: ClusterPlace, modelId: string) {
  const db = await openDatabase({ url: databaseUrl });
  try {
    const rows = await db.read
      .selectFrom('model_calls')
      .select(['owner', 'status', 'request'])
      .where('model_id', '=', modelId)
      .execute();
    const done = rows.filter(({ status }) => status === 'DONE').flatMap(({ request }) => rowOf(request) ?? []);
    return { calls: rows.length, done: new Set(done), owners: [...new Set(rows.map(({ owner }) => owner))] };
  } finally {
    await db.close();
  }
}
