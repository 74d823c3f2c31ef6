import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { clean } from './cleaning.ts';
import { createOutput, type CliContext, type CliOutput } from './cli-context.ts';
import { CliProblem, exitCodes, type ExitCode } from './cli-problem.ts';
import { configFolder, getLogin, type ServiceLogin } from './credentials.ts';
import { download } from './download.ts';
import { follow } from './following.ts';
import { list } from './listing.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';
import { login, logout } from './signing-in.ts';
import { upload } from './upload.ts';
import { cliUsage, cliUsages } from './usage.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Given = { values: Readonly<Record<string, unknown>>; words: readonly string[] };
type Work = (given: Given, context: CliContext) => Promise<ExitCode>;

/** Commands of a signed-in user: their options, numbers of words, and implementations. */
const commands: Readonly<
  Record<string, { options: readonly string[]; words: readonly [least: number, most: number]; work: Work }>
> = {
  ls: {
    options: ['version', 'prefix'],
    words: [0, 1],
    work: ({ values, words }, context) =>
      list({ dataset: words[0], version: versionOf(values), prefix: prefixOf(values) }, context),
  },
  upload: {
    options: ['dataset', 'prefix', 'create'],
    words: [1, Infinity],
    work: ({ values, words }, context) =>
      upload(
        {
          places: words,
          dataset: needed(values, 'dataset'),
          prefix: prefixOf(values),
          create: values['create'] === true,
        },
        context,
      ),
  },
  download: {
    options: ['version', 'prefix', 'overwrite'],
    words: [2, 2],
    work: ({ values, words: [dataset = '', into = ''] }, context) =>
      download(
        {
          dataset,
          into,
          version: versionOf(values),
          prefix: prefixOf(values),
          overwrite: values['overwrite'] === true,
        },
        context,
      ),
  },
  clean: {
    options: ['template', 'dataset', 'name', 'target', 'follow'],
    words: [0, 0],
    work: ({ values }, context) =>
      clean(
        {
          template: needed(values, 'template'),
          dataset: needed(values, 'dataset'),
          name: textOf(values, 'name'),
          target: textOf(values, 'target'),
          isFollowed: values['follow'] === true,
        },
        context,
      ),
  },
  follow: { options: [], words: [1, 1], work: ({ words: [runId = ''] }, context) => follow(runId, context) },
};
const switches = new Set(['overwrite', 'follow', 'create']);

/** Runs a command of `cli` and sets the exit code. */
export async function runCli(args: readonly string[], env: Environment): Promise<void> {
  const [name = '--help', ...rest] = args;
  const usage = name === '--help' || name === 'help' ? cliUsage : rest.includes('--help') ? cliUsages[name] : undefined;
  if (usage !== undefined) {
    process.stdout.write(usage);
    return;
  }
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort(new CliProblem('interrupted', exitCodes.interrupted));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // A reader such as `head` may close the pipe early.
  if (!process.stdout.listeners('error').includes(endWithReader)) process.stdout.on('error', endWithReader);
  try {
    process.exitCode = await carryOut(name, rest, env, interruption.signal);
  } catch (error) {
    if (!(error instanceof CliProblem)) throw error;
    process.stderr.write(`tilth: ${error.message}\n`);
    process.exitCode = error.exitCode;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

async function carryOut(
  name: string,
  args: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (name === 'login' || name === 'logout') {
    const { values, words } = parsed(name, args, [], name === 'login' ? [1, 1] : [0, 0]);
    const output = createOutput(values['json'] === true);
    if (name === 'logout') return logout(env, output);
    return login(words[0] ?? '', env, output, (credentials) => connect(credentials, output, signal));
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new CliProblem(`unknown command cli ${name}; cli --help lists the commands`, exitCodes.usage);
  const given = parsed(name, args, command.options, command.words);
  const output = createOutput(given.values['json'] === true);
  const client = connect(await getLogin(env), output, signal);
  return command.work(given, { client, output, signal, folder: configFolder(env) });
}

function connect(credentials: ServiceLogin, output: CliOutput, signal: AbortSignal): ServiceClient {
  return createServiceClient(credentials, {
    signal,
    onWait: (why, seconds) => output.note(`${why}; trying again in ${seconds} s`),
  });
}

function parsed(
  name: string,
  args: readonly string[],
  names: readonly string[],
  [least, most]: readonly [number, number],
): Given {
  const options: ParseArgsOptionsConfig = { json: { type: 'boolean' } };
  for (const each of names) options[each] = { type: switches.has(each) ? 'boolean' : 'string' };
  let given;
  try {
    given = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new CliProblem(`${(error as Error).message}; see cli ${name} --help`, exitCodes.usage, { cause: error });
  }
  const { values, positionals: words } = given;
  // The message does not repeat the words, as one may be a key given by mistake.
  if (words.length < least || words.length > most)
    throw new CliProblem(
      `${words.length} arguments are too ${words.length < least ? 'few' : 'many'}; see cli ${name} --help`,
      exitCodes.usage,
    );
  return { values, words };
}

function textOf(values: Given['values'], name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function needed(values: Given['values'], name: string): string {
  const value = textOf(values, name);
  if (value === undefined || value === '') throw new CliProblem(`--${name} is missing`, exitCodes.usage);
  return value;
}

const prefixOf = (values: Given['values']): string => (textOf(values, 'prefix') ?? '').replaceAll(/^\/+|\/+$/g, '');

function versionOf(values: Given['values']): number | undefined {
  const text = textOf(values, 'version');
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new CliProblem('--version must be an integer of at least 1', exitCodes.usage);
  return Number(text);
}

const endWithReader = (): never => process.exit(exitCodes.done);
