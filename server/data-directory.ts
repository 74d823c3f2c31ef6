// Where the settings say that the data is.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { createSettingKeyRing, openFileKeyRing, secretsKeyFile, type KeyRing } from './secrets/index.ts';
import { requireRestored } from './storage/backup/index.ts';
import { requireNotMoved } from './storage/moving/index.ts';
import { openDatabase, type Database, type DatabaseOptions } from './storage/database/database.ts';

/** The data directory, made if it is not there. Throws if a restore of it was not finished, or its rows are elsewhere now. */
export async function prepareDataDirectory(config: Config): Promise<string> {
  const directory = resolve(config.dataDir);
  await requireRestored(directory);
  if (config.databaseUrl === undefined) await requireNotMoved(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** The keys of the stored secrets: of the setting, else of the file in the data directory. */
export async function openKeyRing({ secretsKey }: Config, directory: string): Promise<KeyRing> {
  return secretsKey === undefined ? openFileKeyRing(secretsKeyFile(directory)) : createSettingKeyRing(secretsKey);
}

export function openConfiguredDatabase(config: Config, directory: string): Promise<Database> {
  return openDatabase(databaseOptions(config, directory));
}

export function databaseOptions(config: Config, directory: string): DatabaseOptions {
  return config.databaseUrl === undefined ? { file: join(directory, 'tilth.db') } : { url: config.databaseUrl };
}

export function blobDirectory(directory: string): string {
  return join(directory, 'blobs');
}
