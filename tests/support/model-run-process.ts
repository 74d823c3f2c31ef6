// A process that works on one run whose step calls a model, in the given folder; tests kill it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../server/storage/database/database.ts';
import { openEngine, step } from './engine.ts';
import { endShared } from './process-end.ts';
import { addModel, openModels } from './models.ts';

const [directory = '.', baseUrl = '', samples = '0'] = process.argv.slice(2);
const db = await openDatabase({ file: join(directory, 'tilth.db') });
const ends: (() => Promise<void>)[] = [];
const { models } = await openModels({ after: (end) => ends.push(end) }, db, { alone: true });
const bench = await openEngine(db, directory, { models, shardBytes: 300 });
const started = join(directory, 'run.json');

if (!existsSync(started)) {
  const { id: model } = await addModel(models, baseUrl, { limits: { timeoutSeconds: 10, concurrency: 4 } });
  const rows = Array.from({ length: Number(samples) }, (_, row) => `{"id":${row},"text":"sample ${row}"}\n`);
  const steps = [step('model-rewriter', { model })];
  const source = await bench.put('r.jsonl', rows.join(''));
  const { id: runId } = await bench.execute([source], { steps, onError: 'SET_ASIDE' }, { taskId: 'task' });
  writeFileSync(started, JSON.stringify({ model, runId }));
}
const { model, runId } = JSON.parse(readFileSync(started, 'utf8')) as { model: string; runId: string };
await bench.engine.start();
const run = await bench.ended(runId);
const rows = (await bench.result()).get('r.jsonl');
const { totals } = await models.usage(model);
await bench.close();
await endShared();
for (const end of ends) await end();
await db.close();
process.stdout.write(`${JSON.stringify({ status: run.status, error: run.error, counts: run.counts, rows, totals })}\n`);
