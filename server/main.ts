import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { backupUsage, parseBackupCommand, parseRestoreCommand, restoreUsage } from './commands/backup-command.ts';
import { CommandError } from './commands/command-error.ts';
import { takeGivenBuild } from './commands/given-build.ts';
import { driveUsage, parseDriveCommand } from './commands/drive-command.ts';
import { parseSecretsCommand, secretsUsage } from './commands/secrets-command.ts';
import { migrateToUsage, parseMigrateToCommand } from './commands/migrate-to-command.ts';
import { parseUserCommand, userUsage } from './commands/user-command.ts';
import { parseVerifyCommand, verifyUsage } from './commands/verify-command.ts';
import { parseWorkerCommand, workerUsage } from './commands/worker-command.ts';
import { loadConfig, SettingError, settings, type Config } from './config.ts';
import { AppError } from './kernel/errors.ts';

const usage = `Usage: npm start -- COMMAND

Commands:
  serve           Run the service
  user …          List, add, change and remove users (user --help)
  secrets …       Change the key that encrypts stored secrets (secrets --help)
  backup DIR      Back up all data; the service may be running (backup --help)
  restore DIR     Create a data folder from a backup (restore --help)
  migrate-to      Move to PostgreSQL, to an object store or to both (migrate-to --help)
  verify …        Check stored data against its checksums and counters (verify --help)
  worker …        Do the work of runs in a cluster (worker --help)
  drive …         Drive a run in a cluster (drive --help)
  cli …           List, upload, download and clean from a terminal, here or elsewhere (cli --help)
  --help          Show this text; --help settings lists all settings
  --version       Show the version
`;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// Before the first file is opened: reads, writes and fsyncs share these threads, and with the default of 4 they wait for each other.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

// Before any WebAssembly runs: when several threads compile a wrapper of an imported function at once, V8 13.6 may free it twice and
// end the process ("Check failed: jit_page_->allocations_.erase"). This budget is never reached, so no wrapper is compiled.
setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');

try {
  const build = takeGivenBuild(process.argv);
  if (build === undefined) await run(process.argv.slice(2));
  else await import(build);
} catch (error) {
  const known = error instanceof SettingError || error instanceof CommandError || error instanceof AppError;
  if (!known) throw error;
  process.stderr.write(`tilth: ${error.message}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : error instanceof SettingError ? 2 : 1;
}

async function run([command, ...rest]: string[]): Promise<void> {
  switch (command) {
    case 'serve':
      // `npm start -- verify` arrives as `serve verify`: the named command wins.
      if (rest.length > 0) return run(rest);
      return startServing(loadConfig(process.env));
    case 'user':
      return rest[0] === undefined || rest[0] === '--help' ? print(userUsage) : administer(rest);
    case 'secrets':
      return rest[0] === undefined || rest[0] === '--help' ? print(secretsUsage) : rotateSecrets(rest);
    case 'verify':
      return rest[0] === '--help' ? print(verifyUsage) : verify(rest);
    case 'backup':
      return rest[0] === '--help' ? print(backupUsage) : backUp(rest);
    case 'restore':
      return rest[0] === '--help' ? print(restoreUsage) : restore(rest);
    case 'migrate-to':
      return rest[0] === '--help' ? print(migrateToUsage) : migrate(rest);
    case 'worker':
      return rest[0] === undefined || rest[0] === '--help' ? print(workerUsage) : work(rest);
    case 'drive':
      return rest[0] === undefined || rest[0] === '--help' ? print(driveUsage) : driveRun(rest);
    case 'cli':
      return workWithService(rest);
    case '--version':
      return print(`${version}\n`);
    case '--help':
    case 'help':
      return print(helpText(rest[0]));
    case undefined:
      throw new CommandError(`name a command to run\n\n${usage.trimEnd()}`, 2);
    default:
      throw new CommandError(`there is no command ${command}; --help lists them`, 2);
  }
}

// The service is loaded only after the command and its settings were checked, so that help and errors appear at once.
async function startServing(config: Config): Promise<void> {
  const { serve } = await import('./commands/serve.ts');
  await serve(config, version);
}

async function administer(args: readonly string[]): Promise<void> {
  const command = parseUserCommand(args);
  const config = loadConfig(process.env);
  const { administerUsers } = await import('./commands/user.ts');
  await administerUsers(command, config);
}

async function rotateSecrets(args: readonly string[]): Promise<void> {
  const command = parseSecretsCommand(args);
  const config = loadConfig(process.env);
  const { rotateSecretsKey } = await import('./commands/secrets.ts');
  await rotateSecretsKey(command, config);
}

async function verify(args: readonly string[]): Promise<void> {
  const command = parseVerifyCommand(args);
  const config = loadConfig(process.env);
  const { verifyStorage } = await import('./commands/verify.ts');
  await verifyStorage(command, config);
}

async function backUp(args: readonly string[]): Promise<void> {
  const command = parseBackupCommand(args);
  const config = loadConfig(process.env);
  const { makeBackup } = await import('./commands/backup.ts');
  await makeBackup(command, config, version);
}

async function restore(args: readonly string[]): Promise<void> {
  const command = parseRestoreCommand(args);
  const config = loadConfig(process.env);
  const { restoreBackup } = await import('./commands/restore.ts');
  await restoreBackup(command, config);
}

async function migrate(args: readonly string[]): Promise<void> {
  parseMigrateToCommand(args);
  const config = loadConfig(process.env);
  const { migrateTo } = await import('./commands/migrate-to.ts');
  await migrateTo(config);
}

async function work(args: readonly string[]): Promise<void> {
  parseWorkerCommand(args);
  const config = loadConfig(process.env);
  const { serveWorker } = await import('./worker-process.ts');
  await serveWorker(config);
}

async function driveRun(args: readonly string[]): Promise<void> {
  const key = parseDriveCommand(args);
  const config = loadConfig(process.env);
  const { drive } = await import('./commands/drive.ts');
  await drive(config, key);
}

async function workWithService(args: readonly string[]): Promise<void> {
  const { runCli } = await import('./commands/cli/cli.ts');
  await runCli(args, process.env);
}

function helpText(topic: string | undefined): string {
  if (topic === 'settings') return settingsText();
  const topics: Readonly<Record<string, string>> = {
    user: userUsage,
    secrets: secretsUsage,
    verify: verifyUsage,
    backup: backupUsage,
    restore: restoreUsage,
    'migrate-to': migrateToUsage,
    worker: workerUsage,
    drive: driveUsage,
  };
  return topics[topic ?? ''] ?? usage;
}

function print(text: string): void {
  process.stdout.write(text);
}

function settingsText(): string {
  return Object.values(settings)
    .map(({ env, type, default: value, sentence }) => {
      const fallback = value === undefined || String(value) === '' ? 'unset' : String(value);
      return `${env} (${type}; default ${fallback})\n    ${sentence}\n`;
    })
    .join('');
}
