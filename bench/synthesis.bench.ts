// Records of synthesis against a bare loop of the same calls on the same stub, which responds after 50 ms, with 64 in flight; and the time
// until a resumed run with a ledger of many calls makes its first call. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_ROWS` (4,000) are the rounds
// and records of the first, `TILTH_BENCH_ENTRIES` (100,000) the calls of the second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { endShared } from '../tests/support/process-end.ts';
import { startApp } from '../tests/support/server.ts';
import { createSource, createTask, endOfTask, type SynthesisTask } from '../tests/support/synthesis.ts';
import { printMachine } from './machine.ts';
import { comparePairs } from './pairs.ts';

const rows = Number(process.env['TILTH_BENCH_ROWS'] ?? 4000);
const entries = Number(process.env['TILTH_BENCH_ENTRIES'] ?? 100_000);
const inFlight = 64;
const ends: (() => Promise<void>)[] = [];
const ending = { after: (end: () => Promise<void>) => void ends.push(end) };
type Enveloped<T> = { data: T };

/** The stub's replies are not JSON records, so this template accepts plain text. */
const plain = {
  name: 'Plain',
  type: 'CUSTOM',
  prompt: 'Write a headline.\n\n{{text}}',
  checks: { similarToRecords: null },
};

printMachine();
try {
  const service = await startApp(ending, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });
  await compareCalls(service);
  await resumeOverLedger(service);
} finally {
  for (const end of ends.toReversed()) await end();
  await endShared();
}

type Service = Awaited<ReturnType<typeof startApp>>;

async function createModel(service: Service, baseUrl: string): Promise<string> {
  const given = { name: 'Stub', kind: 'CHAT', baseUrl, model: 'stub', limits: { concurrency: inFlight } };
  const { body } = await service.api<Enveloped<{ id: string }>>('POST', '/settings/models', given);
  return body.data.id;
}

/** Rows of about 800 characters, different in each round. */
function rowsOf(count: number, round: number): string {
  const filler = 'wheat is sown in spring on the wide fields beside the river '.repeat(12);
  return Array.from({ length: count }, (_, at) => `${JSON.stringify({ text: `${round}-${at} ${filler}` })}\n`).join('');
}

async function compareCalls(service: Service): Promise<void> {
  const stub = spawn(process.execPath, [fileURLToPath(new URL('model-stub.ts', import.meta.url)), '50'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ending.after(async () => void stub.kill());
  const [port] = (await once(stub.stdout, 'data')) as [Buffer];
  const baseUrl = `http://127.0.0.1:${Number(port)}/v1`;
  const model = await createModel(service, baseUrl);
  const template = await service.api<Enveloped<{ id: string }>>('POST', '/data-synthesis/templates', plain);
  const agent = new Agent({ connections: null });
  ending.after(() => agent.destroy());
  let round = 0;

  async function synthesise(): Promise<number> {
    round += 1;
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rowsOf(rows, round) }, `Rows ${round}`);
    const { id } = await createTask(service, {
      name: `Run ${round}`,
      sourceDatasetId,
      model,
      templateId: template.body.data.id,
    });
    const task = await endOfTask(service, id);
    if (task.counts.kept !== rows) throw new Error(`${task.status}: ${JSON.stringify(task.counts)}`);
    const path = `/data-synthesis/tasks/${id}/runs/${task.lastRunId}/usage`;
    const { body } = await service.api<Enveloped<{ actual: { seconds: number } }>>('GET', path);
    return rows / body.data.actual.seconds;
  }

  async function callBare(): Promise<number> {
    const lines = rowsOf(rows, round).split('\n').slice(0, rows);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
          const { body } = await request(`${baseUrl}/chat/completions`, {
            dispatcher: agent,
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ model: 'stub', messages: [{ role: 'user', content: line }], max_tokens: 1024 }),
          });
          await body.json();
        }
      }),
    );
    return (rows * 1000) / (performance.now() - startedAt);
  }

  await comparePairs(
    `records of ${rows} rows, ${inFlight} calls of 50 ms in flight`,
    { name: 'synthesis', unit: 'records/s', run: synthesise },
    { name: 'bare loop', unit: 'calls/s', run: callBare },
  );
}

async function resumeOverLedger(service: Service): Promise<void> {
  let asked = Promise.withResolvers<number>();
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'A headline' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 200, completion_tokens: 3 },
  });
  const server = createServer((received, response) => {
    received.resume();
    asked.resolve(performance.now());
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  ending.after(async () => void server.close());
  const model = await createModel(service, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  const { body: template } = await service.api<Enveloped<{ id: string }>>('POST', '/data-synthesis/templates', {
    ...plain,
    name: 'Compared',
    checks: { similarToRecords: 1 },
  });
  // Each file is sent as one chunk, whose size is limited.
  const half = Math.ceil((entries + inFlight) / 2);
  const files = { 'first.jsonl': rowsOf(half, -1), 'second.jsonl': rowsOf(half, -2) };
  const sourceDatasetId = await createSource(service, files, 'Ledger');
  const templateId = template.data.id;
  const budget = { maxCalls: entries };
  const { id } = await createTask(service, { name: 'Ledger', sourceDatasetId, model, templateId, budget });
  const stopped: SynthesisTask = await endOfTask(service, id);
  if (stopped.status !== 'STOPPED') throw new Error(`${stopped.status}: ${stopped.error}`);
  await service.api('PUT', `/data-synthesis/tasks/${id}`, { budget: {} });
  asked = Promise.withResolvers();
  const startedAt = performance.now();
  await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
  const firstAt = await asked.promise;
  console.log(
    `  resumed over ${entries.toLocaleString('en')} calls: first call after ${(firstAt - startedAt).toFixed(0)} ms`,
  );
  await endOfTask(service, id);
}
