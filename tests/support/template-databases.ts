import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../server/storage/database/database.ts';
import { createPostgresDatabase } from './postgres.ts';

const sqliteVariable = 'TILTH_TEST_SQLITE_TEMPLATE';
const postgresVariable = 'TILTH_TEST_POSTGRES_TEMPLATE';

/** Databases whose tables are up to date: a test starts with a copy instead of creating its tables. Undefined outside of `npm test`. */
export const templates = {
  sqliteFile: process.env[sqliteVariable],
  postgresUrl: process.env[postgresVariable],
};

/** Creates the templates; `environment` passes their locations to the test processes. */
export async function createTemplates(withPostgres: boolean): Promise<{
  environment: Record<string, string>;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-template-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    const sqliteFile = join(folder, 'tilth.db');
    await (await openDatabase({ file: sqliteFile })).close();
    const environment: Record<string, string> = { [sqliteVariable]: sqliteFile };
    if (withPostgres) {
      const { url } = await createPostgresDatabase();
      await (await openDatabase({ url })).close();
      environment[postgresVariable] = url;
    }
    return { environment, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
