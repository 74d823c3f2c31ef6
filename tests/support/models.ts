import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../server/kernel/clock.ts';
import { parseDestination } from '../../server/kernel/destination.ts';
import { createModels, type Model, type ModelDefinition, type Models } from '../../server/models/index.ts';
import { createOutgoing } from '../../server/outgoing/index.ts';
import { createSecrets, createSettingKeyRing } from '../../server/secrets/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import type { Ending } from './server.ts';

/** The key for tests in which several processes share a database. */
export const testSecretsKey = '5e'.repeat(32);

export type OpenedModels = { models: Models; logged: string[]; close(): Promise<void> };

/** Models over a test's database, which may call loopback. Each call of this function simulates a separate process. */
export async function openModels(
  t: Ending,
  db: Database,
  options: { clock?: Clock; alone?: boolean; replyRetentionDays?: number; processId?: string } = {},
): Promise<OpenedModels> {
  const { clock = systemClock, alone = false, replyRetentionDays = 0, processId } = options;
  const logged: string[] = [];
  const log = (details: object, message: string): void => {
    const { err } = details as { err?: Error };
    logged.push(JSON.stringify([details, err?.stack, message]));
  };
  const logger = { error: log, info: log };
  const secrets = createSecrets({ db, keys: createSettingKeyRing(testSecretsKey), clock, logger });
  await secrets.start();
  const outgoing = createOutgoing({ allow: [parseDestination('127.0.0.1')] });
  const modelsDirectory = await mkdtemp(join(tmpdir(), 'tilth-models-'));
  const models = createModels({
    db,
    clock,
    logger,
    secrets,
    outgoing,
    modelsDirectory,
    alone,
    replyRetentionDays,
    processId,
  });
  await models.start();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await outgoing.close();
      await models.stop();
      await rm(modelsDirectory, { recursive: true, force: true });
    })());
  t.after(close);
  return { models, logged, close };
}

/** Creates a chat model, or another one by `definition`. */
export function addModel(
  models: Models,
  baseUrl: string,
  definition: Partial<ModelDefinition> = {},
  apiKey?: string,
): Promise<Model> {
  return models.registry.create(
    {
      name: 'Test model',
      kind: 'CHAT',
      provider: 'openai-compatible',
      baseUrl,
      model: 'test-1',
      prices: null,
      limits: { timeoutSeconds: 10 },
      ...definition,
    },
    apiKey,
    'admin',
  );
}
