// Locates the data according to the settings.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SettingError, type Config } from './config.ts';
import { createSettingKeyRing, openFileKeyRing, secretsKeyFile, type KeyRing } from './secrets/index.ts';
import { requireRestored } from './storage/backup/index.ts';
import { requireNotMoved } from './storage/moving/index.ts';
import { openDatabase, type Database, type DatabaseOptions } from './storage/database/database.ts';

/** Returns the data directory, creating it if missing. Throws if a restore is unfinished, or its rows were moved. */
export async function prepareDataDirectory(config: Config): Promise<string> {
  const directory = resolve(config.dataDir);
  await requireRestored(directory);
  if (config.databaseUrl === undefined) await requireNotMoved(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** The keys of the stored secrets: from the setting, else from the file in the data directory. */
export async function openKeyRing(
  { secretsKey, databaseUrl, storageUrl }: Config,
  directory: string,
): Promise<KeyRing> {
  if (secretsKey !== undefined) return createSettingKeyRing(secretsKey);
  const file = secretsKeyFile(directory);
  // Rows and bytes are stored elsewhere and the folder may be lost with its machine, and with it a key created here.
  if (databaseUrl !== undefined && storageUrl !== undefined && !existsSync(file))
    throw new SettingError(
      'TILTH_SECRETS_KEY must be set, and be the same on all nodes, if both TILTH_DATABASE_URL and TILTH_STORAGE_URL are set: the data folder is then not a safe place for a key (create one with: openssl rand -hex 32)',
    );
  return openFileKeyRing(file);
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
