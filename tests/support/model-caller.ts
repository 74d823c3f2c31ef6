// A process that calls a model in an endless loop, to be killed or paused: MODEL, DATABASE and PREFIX are passed as
// JSON.
import { openDatabase, type DatabaseOptions } from '../../server/storage/database/database.ts';
import { openModels } from './models.ts';

type Orders = { database: DatabaseOptions; modelId: string; prefix: string; parallel: number; maxCalls: number };

const { database, modelId, prefix, parallel, maxCalls } = JSON.parse(process.argv[2] ?? '') as Orders;
const { models } = await openModels({ after: () => {} }, await openDatabase(database));
let next = 0;

await Promise.all(
  Array.from({ length: parallel }, async () => {
    for (;;) {
      const content = `${prefix} ${next++}`;
      const budget = { id: 'shared', caps: { maxCalls } };
      await models
        .chat(
          modelId,
          { messages: [{ role: 'user', content }], parameters: { maxTokens: 20 } },
          { runId: prefix, budget },
        )
        .catch(async (error: unknown) => {
          process.stdout.write(`${(error as Error).name} ${(error as Error).message}\n`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        });
      process.stdout.write('.');
    }
  }),
);
