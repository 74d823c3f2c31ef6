// Model calls against bare undici and a bare `openai` client on the same stub; look-ups in ledgers of a thousand and a
// million calls; `builtin:hash-512`. `TILTH_BENCH_SECONDS` is the length of one round (3), `TILTH_BENCH_ENTRIES` the size
// of the ledger (1,000,000).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import OpenAI from 'openai';
import { Agent, request } from 'undici';
import { canonicalJson, hashOf } from '../server/models/canonical-json.ts';
import { hashEmbedding } from '../server/models/builtin/hash-embedding.ts';
import { findCall } from '../server/models/queries/calls.ts';
import { openDatabase, type Database } from '../server/storage/database/database.ts';
import { addModel, openModels } from '../tests/support/models.ts';
import { corpusTexts } from './model-texts.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf } from './pairs.ts';

const seconds = Number(process.env['TILTH_BENCH_SECONDS'] ?? 3);
const entries = Number(process.env['TILTH_BENCH_ENTRIES'] ?? 1_000_000);

const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-models-'));
const ends: (() => Promise<void>)[] = [];
const ending = { after: (end: () => Promise<void>) => void ends.push(end) };

printMachine();
try {
  embedTexts();
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  ends.push(() => db.close());
  await callModels(db);
  await lookUp(db);
} finally {
  for (const end of ends.toReversed()) await end();
  await rm(directory, { recursive: true });
}

/** Keeps this many calls in flight for a while; returns the calls completed per second and the CPU time of each. */
async function drive(
  inFlight: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ rate: number; cpuMicros: number }> {
  const until = performance.now() + seconds * 1000;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let calls = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) await call(calls++);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { rate: (calls * 1000) / (performance.now() - startedAt), cpuMicros: (user + system) / calls };
}

async function callModels(db: Database): Promise<void> {
  const { models } = await openModels(ending, db, { alone: true });
  const agent = new Agent({ connections: null });
  ends.push(() => agent.destroy());
  const prompt = 'x'.repeat(800);
  let number = 0;
  for (const afterMs of [50, 200]) {
    const stub = spawn(process.execPath, [fileURLToPath(new URL('model-stub.ts', import.meta.url)), String(afterMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(stub.stdout, 'data')) as [Buffer];
    const baseUrl = `http://127.0.0.1:${Number(port)}/v1`;
    const { id } = await addModel(models, baseUrl, { limits: { concurrency: 4096 } });
    const bare = async (): Promise<void> => {
      const { body } = await request(`${baseUrl}/chat/completions`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test-1', messages: [{ role: 'user', content: prompt }], max_tokens: 100 }),
      });
      await body.json();
    };
    const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0, logLevel: 'off' });
    const viaClient = (): Promise<unknown> =>
      client.chat.completions.create({
        model: 'test-1',
        messages: [{ role: 'user', content: prompt }],
        max_completion_tokens: 100,
      });
    const ours = (): Promise<unknown> =>
      models.chat(id, { messages: [{ role: 'user', content: `${prompt} ${number++}` }] }, { runId: 'bench' });
    for (const inFlight of [64, 1024]) {
      const cpu = new Map<string, number[]>();
      const side = (name: string, call: () => Promise<unknown>) => ({
        name,
        unit: 'calls/s',
        run: async () => {
          const { rate, cpuMicros } = await drive(inFlight, call);
          cpu.set(name, [...(cpu.get(name) ?? []), cpuMicros]);
          return rate;
        },
      });
      await comparePairs(
        `${inFlight} in flight, ${afterMs} ms`,
        side('models', ours),
        side('undici', bare),
        side('openai', viaClient),
      );
      const each = [...cpu].map(([name, [, ...micros]]) => `${name} ${medianOf(micros).toFixed(0)} µs`);
      console.log(`  processor, all threads, a call: ${each.join(', ')}`);
    }
    stub.kill();
  }
}

/** Point reads, 64 at a time, of existing and of missing keys. */
async function lookUp(db: Database): Promise<void> {
  const keyOf = (index: number): string => hashOf('bench', canonicalJson({ index }));
  let filled = 0;
  for (const size of [1_000, entries]) {
    await fill(db, keyOf, filled, size);
    filled = size;
    for (const [what, at] of [
      ['found', (index: number) => Math.trunc((index * 7919) % size)],
      ['not found', (index: number) => entries + index],
    ] as const) {
      const keys = Array.from({ length: 50_000 }, (_, index) => keyOf(at(index)));
      const tookMs: number[] = [];
      const startedAt = performance.now();
      for (let from = 0; from < keys.length; from += 64)
        await Promise.all(
          keys.slice(from, from + 64).map(async (key) => {
            const askedAt = performance.now();
            await findCall(db.read, key);
            tookMs.push(performance.now() - askedAt);
          }),
        );
      const rate = (keys.length * 1000) / (performance.now() - startedAt);
      const p99 = tookMs.toSorted((one, other) => one - other)[Math.trunc(tookMs.length * 0.99)] ?? 0;
      console.log(
        `  ledger of ${size.toLocaleString('en')}: ${what}, ${rate.toFixed(0)} look-ups/s, p99 ${p99.toFixed(2)} ms with 64 at a time`,
      );
    }
  }
}

async function fill(db: Database, keyOf: (index: number) => string, first: number, end: number): Promise<void> {
  const now = new Date().toISOString();
  for (let from = first; from < end; from += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, end - from) }, (_, index) => [
      keyOf(from + index),
      'y'.repeat(300),
    ]);
    await db.write(
      (tx) =>
        sql`insert into model_calls (key, model_id, status, owner, run_id, sample_id, sequence, request, response, cause, attempts,
          input_tokens, output_tokens, cost_nano, duration_ms, reserved, created_at, finished_at, used_on)
          select value ->> 0, 'm', 'DONE', 'p', 'r', 's', 0, value ->> 1, value ->> 1, null, 1, 1, 1, 0, 1, null, ${now}, ${now},
            ${now.slice(0, 10)}
          from json_each(${JSON.stringify(rows)})`.execute(tx),
      { sync: 'later' },
    );
  }
}

function embedTexts(): void {
  const texts = corpusTexts(2_000);
  const characters = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  for (const text of texts) hashEmbedding(text);
  const before = process.cpuUsage();
  for (const text of texts) hashEmbedding(text);
  const { user, system } = process.cpuUsage(before);
  const rate = (texts.length * 1e6) / (user + system);
  console.log(`  builtin:hash-512: ${rate.toFixed(0)} texts/s a core, of ${characters.toFixed(0)} characters`);
}
