import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createKnowledgeBase } from '../support/knowledge-bases.ts';
import { startProcess, type Ending } from '../support/server.ts';
import type { CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds, type DatabaseKind } from './fault-database.ts';
import { createRandom, type Random } from './random.ts';
import { listFindings } from './storage-findings.ts';

const casesOf = { short: 1, full: 25 } as const;
const sentences = 400;
const documents = 6;
/** Of one sentence each, in one upload, so that they share index writes and transactions. */
const smallDocuments = 80;
/** A random moment within about this time is likely to fall into the work being tested. */
const workMs = 1_500;
const deadlineMs = 90_000;
/** A moment within about this time falls into the deletion of the knowledge base. */
const deletionMs = 150;

type Rebuild = { status: string; documents: { done: number; total: number } };
type Base = { data: { chunkCount: number; chunking: { size: number }; rebuild: Rebuild | null } };

/**
 * Kills the service while documents are read, split and indexed, while a new index is built beside the current one, around the
 * moment of the switch, and while the knowledge base is deleted: every document must end with each of its chunks exactly once, in
 * the requested index, and nothing of deleted data may remain.
 */
export const ragKill: FaultFamily = {
  name: 'rag-kill',
  databases: databaseKinds,
  caseTimeoutMs: 300_000,
  missing: () => undefined,
  prepare: async (t, { seed, size, database }) =>
    Array.from({ length: casesOf[size] }, (_, number): FaultCase => {
      const random = createRandom(seed, 'rag-kill', number);
      return { id: `${number}`, run: () => runCase(t, database, random) };
    }),
};

async function runCase(t: Ending, kind: DatabaseKind, random: Random): Promise<CaseOutcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-rag-kill-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const database = await createFaultDatabase(t, kind);
  const service = await startProcess(t, { dataDir, settings: database.environment });
  const violations: string[] = [];
  const small = { strategy: 'SENTENCE', size: 50, overlap: 0 };
  const base = await createKnowledgeBase(service, { chunking: small });
  const show = async () => (await service.api<Base>('GET', base.path)).body.data;
  const killSoon = async (): Promise<void> => {
    await setTimeout(random.integer(0, workMs));
    await service.restart();
  };

  const kept = new Set<string>();
  for (let number = 0; number < documents; number += 1) {
    const name = `field-${number}.txt`;
    await base.add({ [name]: textOf(name) });
    kept.add(name);
  }
  const smallOnes = Array.from({ length: smallDocuments }, (_, number) => `plot-${number}.txt`);
  await base.add(Object.fromEntries(smallOnes.map((name) => [name, `The soil of ${name} was tilled.`])));
  for (const name of smallOnes) kept.add(name);
  for (let kills = random.integer(1, 3); kills > 0; kills -= 1) await killSoon();

  const large = { strategy: 'SENTENCE', size: random.integer(100, 200), overlap: 0 };
  await service.api('PUT', base.path, { chunking: large });
  for (let kills = random.integer(1, 3); kills > 0; kills -= 1) await killSoon();
  await base.add({ 'late.txt': textOf('late.txt') });
  kept.add('late.txt');
  const [gone] = (await listDocuments()).filter(({ name }) => name === 'field-0.txt');
  await service.api('DELETE', `${base.path}/documents/${gone?.id}`);
  kept.delete('field-0.txt');
  // As close to the switch as is observable from outside.
  await until(async () => {
    const { rebuild } = await show();
    return rebuild === null || rebuild.documents.done >= rebuild.documents.total - 1;
  });
  await setTimeout(random.integer(0, 60));
  await service.restart();

  if (!(await until(async () => (await show()).rebuild === null))) violations.push('the rebuild did not end');
  if (!(await until(async () => (await listDocuments()).every(({ status }) => isFinal(status)))))
    violations.push('a document has no final state');
  const ended = await listDocuments();
  const found = new Set(ended.map(({ name }) => name));
  for (const name of kept) if (!found.has(name)) violations.push(`the acknowledged document ${name} is lost`);
  for (const { name, status, cause } of ended) {
    if (!kept.has(name)) violations.push(`the deleted document ${name} is back`);
    if (status !== 'COMPLETED') violations.push(`${name} is ${status}: ${cause}`);
  }
  for (const isSmall of [false, true]) {
    const counts = new Set(
      ended.filter(({ name }) => smallOnes.includes(name) === isSmall).map((one) => one.chunkCount),
    );
    if (counts.size !== 1) violations.push(`equal texts have ${[...counts].join(' and ')} chunks`);
  }
  if ((await show()).chunking.size !== large.size) violations.push('searches ask an index of other settings');
  for (const name of kept) {
    const hits = await base.search({ query: name, mode: 'HYBRID', topK: 50, filter: { documentIds: idsOf(name) } });
    if (hits.length === 0) violations.push(`searches find nothing of ${name}`);
    if (new Set(hits.map(({ chunkId }) => chunkId)).size < hits.length)
      violations.push(`a chunk of ${name} is there twice`);
  }
  // The start's comparison of index and database may still be running.
  let findings: string[] = [];
  await until(async () => (findings = await listFindings(dataDir, database)).length === 0);
  violations.push(...findings);

  await service.api('DELETE', base.path);
  await setTimeout(random.integer(0, deletionMs));
  await service.restart();
  if ((await service.api('GET', base.path)).status !== 404) violations.push('the deleted knowledge base is back');
  const isErased = async (): Promise<boolean> =>
    (await readdir(join(dataDir, 'vectors'))).every((name) => !name.endsWith('.lance'));
  if (!(await until(isErased))) violations.push('the index of the deleted knowledge base stays');
  await until(async () => (findings = await listFindings(dataDir, database)).length === 0);
  violations.push(...findings);
  await service.close();
  return { violations };

  function idsOf(name: string): string[] {
    return ended.filter((one) => one.name === name).map(({ id }) => id);
  }

  async function listDocuments() {
    type Listed = {
      data: { content: { id: string; name: string; status: string; cause: string; chunkCount: number }[] };
    };
    return (await service.api<Listed>('GET', `${base.path}/documents?size=100`)).body.data.content;
  }
}

function isFinal(status: string): boolean {
  return status !== 'PENDING' && status !== 'PROCESSING';
}

/** Names of equal length, so that texts are split at the same places. */
function textOf(name: string): string {
  const word = name.replace(/\W/g, '').padEnd(12, 'x');
  return Array.from({ length: sentences }, (_, at) => `Sentence ${1000 + at} is about ${word}.`).join(' ');
}

async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + deadlineMs; Date.now() < end; await setTimeout(20)) if (await isSo()) return true;
  return false;
}
