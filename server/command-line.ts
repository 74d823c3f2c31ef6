import { backupUsage, parseBackupCommand, parseRestoreCommand, restoreUsage } from './commands/backup-command.ts';
import { CommandError } from './commands/command-error.ts';
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
  worker …        Process shards of runs in a cluster (worker --help)
  drive …         Drive a run in a cluster (drive --help)
  cli …           Work with a local or remote service from a terminal (cli --help)
  --help          Show this text; --help settings lists all settings
  --version       Show the version
`;

/** The environment of a command: its settings, and the release that runs it. */
export type CommandPlace = { env: Readonly<Record<string, string | undefined>>; version: string };

/** Runs a command line; throws errors with messages for users, see `printProblem`. */
export async function runCommandLine([command, ...rest]: readonly string[], place: CommandPlace): Promise<void> {
  switch (command) {
    case 'serve':
      // `npm start -- verify` arrives as `serve verify`: the named command wins.
      if (rest.length > 0) return runCommandLine(rest, place);
      return startServing(loadConfig(place.env), place);
    case 'user':
      return rest[0] === undefined || rest[0] === '--help' ? print(userUsage) : administer(rest, place);
    case 'secrets':
      return rest[0] === undefined || rest[0] === '--help' ? print(secretsUsage) : rotateSecrets(rest, place);
    case 'verify':
      return rest[0] === '--help' ? print(verifyUsage) : verify(rest, place);
    case 'backup':
      return rest[0] === '--help' ? print(backupUsage) : backUp(rest, place);
    case 'restore':
      return rest[0] === '--help' ? print(restoreUsage) : restore(rest, place);
    case 'migrate-to':
      return rest[0] === '--help' ? print(migrateToUsage) : migrate(rest, place);
    case 'worker':
      return rest[0] === undefined || rest[0] === '--help' ? print(workerUsage) : work(rest, place);
    case 'drive':
      return rest[0] === undefined || rest[0] === '--help' ? print(driveUsage) : driveRun(rest, place);
    case 'cli':
      return workWithService(rest, place);
    case '--version':
      return print(`${place.version}\n`);
    case '--help':
    case 'help':
      return print(helpText(rest[0]));
    case undefined:
      throw new CommandError(`a command is required\n\n${usage.trimEnd()}`, 2);
    default:
      throw new CommandError(`unknown command ${command}; --help lists the commands`, 2);
  }
}

/** Prints an error of a command line and sets the exit code; rethrows errors that are faults of the program. */
export function printProblem(error: unknown): void {
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  process.stderr.write(`tilth: ${problem.message}\n`);
  process.exitCode = problem.exitCode;
}

function problemOf(error: unknown): { message: string; exitCode: number } | undefined {
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof SettingError) return { message: error.message, exitCode: 2 };
  return error instanceof AppError ? { message: error.message, exitCode: 1 } : undefined;
}

// The service is loaded only after the command and its settings are checked, so that help and errors appear at once.
async function startServing(config: Config, { version }: CommandPlace): Promise<void> {
  const { serve } = await import('./commands/serve.ts');
  await serve(config, version);
}

async function administer(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const command = parseUserCommand(args);
  const config = loadConfig(env);
  const { administerUsers } = await import('./commands/user.ts');
  await administerUsers(command, config);
}

async function rotateSecrets(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const command = parseSecretsCommand(args);
  const config = loadConfig(env);
  const { rotateSecretsKey } = await import('./commands/secrets.ts');
  await rotateSecretsKey(command, config);
}

async function verify(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const command = parseVerifyCommand(args);
  const config = loadConfig(env);
  const { verifyStorage } = await import('./commands/verify.ts');
  await verifyStorage(command, config);
}

async function backUp(args: readonly string[], { env, version }: CommandPlace): Promise<void> {
  const command = parseBackupCommand(args);
  const config = loadConfig(env);
  const { makeBackup } = await import('./commands/backup.ts');
  await makeBackup(command, config, version);
}

async function restore(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const command = parseRestoreCommand(args);
  const config = loadConfig(env);
  const { restoreBackup } = await import('./commands/restore.ts');
  await restoreBackup(command, config);
}

async function migrate(args: readonly string[], { env }: CommandPlace): Promise<void> {
  parseMigrateToCommand(args);
  const config = loadConfig(env);
  const { migrateTo } = await import('./commands/migrate-to.ts');
  await migrateTo(config);
}

async function work(args: readonly string[], { env }: CommandPlace): Promise<void> {
  parseWorkerCommand(args);
  const config = loadConfig(env);
  const { serveWorker } = await import('./worker-process.ts');
  await serveWorker(config);
}

async function driveRun(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const key = parseDriveCommand(args);
  const config = loadConfig(env);
  const { drive } = await import('./commands/drive.ts');
  await drive(config, key);
}

async function workWithService(args: readonly string[], { env }: CommandPlace): Promise<void> {
  const { runCli } = await import('./commands/cli/cli.ts');
  await runCli(args, env);
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
