import { setTimeout } from 'node:timers/promises';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { completion, refuse, send, startProvider, type Answer } from '../fakes/model-provider.ts';
import { createRandom } from '../faults/random.ts';
import { startProcess, type Ending, type RunningProcess } from './server.ts';
import { createSource, createTask, readRows, type SynthesisTask } from './synthesis.ts';

/** A run of synthesis against a misbehaving model, with its disturbances. */
export type DisturbedSynthesis = {
  rows: number;
  seed: number | string;
  /** Share of the requests that fail. */
  faults: number;
  /** Requests after which the process is killed, ascending. */
  kills: readonly number[];
  /** Calls that the budget allows at first; later it is raised and the run resumed. */
  budget?: number;
  concurrency: number;
};

export type DisturbedResult = {
  violations: string[];
  requests: number;
  /** Good replies beyond the first for the same sample. */
  repeated: number;
  stops: number;
  counts: SynthesisTask['counts'];
};

type Enveloped<T> = { data: T };

/**
 * Runs a synthesis task to its end through faults, kills and a stop by its budget, and compares the service's counts and files with the
 * requests counted by the model stub.
 */
export async function runDisturbed(
  t: Ending,
  { rows, seed, faults, kills, budget, concurrency }: DisturbedSynthesis,
  database?: DatabaseOptions,
): Promise<DisturbedResult> {
  const random = createRandom(seed, 'synthesis');
  const goodReplies = new Map<string, number>();
  const answer: Answer = (request, response, raw) => {
    const text =
      /<text>\n(row\d+ [^]*)\n<\/text>/.exec(
        request.body.messages?.find(({ role }) => role === 'user')?.content ?? '',
      )?.[1] ?? '';
    const row = text.split(' ')[0] ?? '';
    const delayMs = random.integer(0, 10);
    if (random.next() < faults) {
      const fault = random.pick<Answer>([
        refuse(500, 'the stub breaks'),
        refuse(503, 'the stub is busy', { 'retry-after-ms': '5' }),
        refuse(429, 'too many requests', { 'retry-after-ms': '5' }),
        refuse(400, 'the stub does not like this one'),
        () => raw.socket.destroy(),
        (_request, theResponse) => send(theResponse, 200, 'this is no JSON'),
        (_request, theResponse) => send(theResponse, 200, completion('this is no pair')),
      ]);
      void setTimeout(delayMs).then(() => fault(request, response, raw));
      return;
    }
    void setTimeout(delayMs).then(() => {
      if (response.destroyed) return;
      goodReplies.set(row, (goodReplies.get(row) ?? 0) + 1);
      send(response, 200, completion(JSON.stringify({ question: `What about ${row}?`, answer: text })));
    });
  };
  const provider = await startProvider(t, answer);
  const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
  const service = await startProcess(t, database === undefined ? { settings } : { settings, database });
  const { body: created } = await service.api<Enveloped<{ id: string }>>('POST', '/settings/models', {
    name: 'Stub',
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    model: 'stub',
    limits: { concurrency, timeoutSeconds: 20 },
  });
  const words = 'wheat is sown in spring on the wide fields beside the slow river'.split(' ');
  const lines = Array.from({ length: rows }, (_, at) => {
    const text = `row${at} ${Array.from({ length: 12 }, () => `${random.pick(words)}${random.integer(0, 99)}`).join(' ')}`;
    return `${JSON.stringify({ text })}\n`;
  });
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': lines.join('') });
  const { id } = await createTask(service, {
    sourceDatasetId,
    model: created.data.id,
    checks: { language: null },
    ...(budget === undefined ? {} : { budget: { maxCalls: budget } }),
  });

  const waiting = [...kills];
  let stops = 0;
  let task = await find(service, id);
  for (;;) {
    if (waiting[0] !== undefined && provider.requests.length >= waiting[0]) {
      waiting.shift();
      await service.kill();
      await service.restart();
    }
    task = await find(service, id);
    if (task.status === 'STOPPED') {
      stops += 1;
      await service.api('PUT', `/data-synthesis/tasks/${id}`, { budget: {} });
      await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
    } else if (task.status !== 'RUNNING') break;
    await setTimeout(5);
  }

  const { counts, targetDatasetId } = task;
  const violations: string[] = [];
  const expect = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence);
  };
  expect(task.status === 'COMPLETED', `the run ended as ${task.status}: ${task.error}`);
  expect(counts.in === rows, `${counts.in} records of ${rows} rows`);
  expect(counts.in === counts.kept + counts.dropped + counts.failed, `counts do not add up: ${JSON.stringify(counts)}`);
  expect(waiting.length === 0, `${waiting.length} kills never came about`);
  const facets = await service.api<Enveloped<{ facets: { verdict: string; count: number }[] }>>(
    'GET',
    `/data-synthesis/tasks/${id}/records/facets`,
  );
  for (const [verdict, count] of [
    ['KEPT', counts.kept],
    ['DROPPED', counts.dropped],
    ['FAILED', counts.failed],
  ] as const) {
    const found = facets.body.data.facets
      .filter((facet) => facet.verdict === verdict)
      .reduce((sum, facet) => sum + facet.count, 0);
    expect(found === count, `${found} records are ${verdict}, the run counts ${count}`);
  }
  const written = targetDatasetId === null ? [] : await readRows(service, targetDatasetId);
  expect(
    written.length === counts.kept && counts.emitted === counts.kept,
    `${written.length} rows of ${counts.kept} kept records`,
  );
  expect(new Set(written.map(({ answer }) => answer)).size === written.length, 'a record was written twice');
  for (const { answer: text } of written) {
    const row = String(text).split(' ')[0] ?? '';
    expect(goodReplies.has(row), `${row} was written and the model never gave it`);
  }
  const repeated = [...goodReplies.values()].reduce((sum, times) => sum + times - 1, 0);
  const inFlight = kills.length * concurrency;
  expect(repeated <= inFlight, `${repeated} calls were made twice, at most ${inFlight} were in flight at the kills`);
  return { violations, requests: provider.requests.length, repeated, stops, counts };
}

async function find(service: RunningProcess, id: string): Promise<SynthesisTask> {
  const { body } = await service.api<Enveloped<SynthesisTask>>('GET', `/data-synthesis/tasks/${id}`);
  return body.data;
}
