// Commands of backups over a data folder, and services over it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { runCommandHere } from './commands-here.ts';
import { runCommand, startApp, type RunningApp } from './server.ts';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';

/** A folder that is deleted with the test, after unmounting what is mounted in it. */
export async function newFolder(t: TestContext, mounted: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-backup-'));
  t.after(async () => {
    for (const path of mounted) execFileSync('umount', ['--lazy', path]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Runs a command over a data folder. */
export async function runOver(args: readonly string[], dataDir: string, url?: string) {
  const env = { TILTH_DATA_DIR: dataDir, ...(url === undefined ? {} : { TILTH_DATABASE_URL: url }) };
  if (args[0] !== 'serve') return runCommandHere(args, env);
  const command = runCommand(args, env);
  return { code: await command.exited, ...command.output };
}

/** Runs a command that must succeed; returns what it prints. */
export async function succeed(args: readonly string[], dataDir: string, url?: string): Promise<string> {
  const { code, stdout, stderr } = await runOver(args, dataDir, url);
  // On a slow machine the command prints progress lines.
  const problems = stderr.replaceAll(/^\d+ blobs, \d+ MB read.*\n/gm, '');
  assert.deepEqual([code, problems], [0, ''], `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The URL of a database that is not a file. */
export function urlOf(options: DatabaseOptions): string | undefined {
  return 'url' in options ? options.url : undefined;
}

/** A service over a new folder. */
export async function startNew(t: TestContext, dataDir: string, url: string | undefined): Promise<RunningApp> {
  return startApp(t, { dataDir, ...(url === undefined ? { isPrepared: true } : { database: { url } }) });
}
