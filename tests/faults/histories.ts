import fc from 'fast-check';
import { startProcess, type RunningProcess } from '../support/server.ts';
import { createCaller, storedOf } from './caller.ts';
import { createClientJournal, type Stored } from './client-journal.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds } from './fault-database.ts';
import { createHistoryClient, sharedPath, type HistoryClient, type SharedUpload } from './histories/history-client.ts';
import { historyPlans, type History } from './histories/plan.ts';
import { createRandom } from './random.ts';
import { checkDataset } from './service-check.ts';
import { listFindings } from './storage-findings.ts';

const counts = { short: 40, full: 2_000 } as const;
/** Shrinking of a failing history stops after this time. */
const shrinkMs = 60_000;

/**
 * Random histories of chunks, whole files, renames and deletes by several clients of one dataset over HTTP, checked
 * against a model of the contract: at the end every file equals the model, every counter a recount, and nothing else is
 * listed. The last case verifies the whole store.
 */
export const histories: FaultFamily = {
  name: 'histories',
  databases: databaseKinds,
  missing: () => undefined,
  async prepare(t, { seed, size, database: kind }) {
    const database = await createFaultDatabase(t, kind);
    const service = await startProcess(t, { settings: { TILTH_LOG_LEVEL: 'error', ...database.environment } });
    const cases: FaultCase[] = Array.from({ length: counts[size] }, (_, index) => ({
      id: `history-${index + 1}`,
      run: async () => ({
        violations: await playOne(service, createRandom(seed, 'history', index).integer(0, 2 ** 31 - 1)),
      }),
    }));
    cases.push({ id: 'verify', run: async () => ({ violations: await listFindings(service.dataDir, database) }) });
    return cases;
  },
};

/** Returns what is wrong, with the smallest history that shows it. */
async function playOne(service: RunningProcess, seed: number): Promise<string[]> {
  const property = fc.asyncProperty(historyPlans, (history) => play(service, history));
  const result = await fc.check(property, {
    seed,
    numRuns: 1,
    plugins: [fc.interruptAfterTimeLimit(shrinkMs, { failOnInterrupt: false })],
  });
  if (!result.failed || result.counterexample === null) return [];
  const cause = result.errorInstance;
  return [
    cause instanceof Error ? cause.message : String(cause),
    `smallest history, found in ${result.numShrinks} steps: ${JSON.stringify(result.counterexample)}`,
    cause instanceof Error ? (cause.stack ?? '') : '',
  ];
}

async function play(service: RunningProcess, history: History): Promise<void> {
  const caller = createCaller(service);
  const created = await caller.call('POST', '/datasets', { json: { name: 'history', type: 'TEXT' } });
  if (created.kind !== 'answer' || created.status !== 201) throw new Error('A dataset could not be made');
  const { id: datasetId } = created.json() as { id: string };
  const target = { service, caller, datasetId };
  const clients = history.clients.map((_, index) => createHistoryClient(target, index));
  const playing = history.clients.map(async (steps, index) => {
    for (const step of steps) await clients[index]?.play(step);
  });
  // Wait for all before failing: the next history must not meet calls of this one.
  for (const outcome of await Promise.allSettled(playing)) if (outcome.status === 'rejected') throw outcome.reason;
  for (const client of clients) await client.finish({ sendMissing: history.finished });
  const known = contentsOf(clients);
  const shared = await findShared(
    target,
    clients.flatMap((client) => client.shared),
  );
  if (shared !== undefined) known.set(sharedPath, shared);
  const wrong = await checkDataset(caller, datasetId, createClientJournal(known), { settled: true });
  wrong.push(...caller.complaints);
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  await caller.call('DELETE', `/datasets/${datasetId}`);
}

function contentsOf(clients: readonly HistoryClient[]): Map<string, Stored> {
  return new Map(
    clients.flatMap(({ contents }) => [...contents.files].map(([path, { bytes }]) => [path, storedOf(bytes)] as const)),
  );
}

/** The shared path: its content must be of an upload that no other one came after. */
async function findShared(
  { caller, datasetId }: Pick<Parameters<typeof createHistoryClient>[0], 'caller' | 'datasetId'>,
  uploads: readonly SharedUpload[],
): Promise<Stored | undefined> {
  if (uploads.length === 0) return undefined;
  const last = uploads
    .filter((one) => !uploads.some((other) => other.startedAt > one.endedAt))
    .map(({ bytes }) => storedOf(bytes));
  const list = (await caller.get(`/datasets/${datasetId}/files?size=1000`)).json() as {
    content: { id: string; filePath: string }[];
  };
  const id = list.content.find(({ filePath }) => filePath === sharedPath)?.id;
  if (id === undefined) throw new Error(`${sharedPath} was acknowledged and is not listed`);
  const found = storedOf((await caller.get(`/datasets/${datasetId}/files/${id}/download`)).bytes);
  if (!last.some(({ sha256 }) => sha256 === found.sha256)) throw new Error(`${sharedPath} is none of the last uploads`);
  return found;
}
