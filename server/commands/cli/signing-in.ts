import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliProblem, exitCodes, type ExitCode } from './cli-problem.ts';
import type { CliOutput } from './cli-context.ts';
import { checkedKey, normalUrl, removeLogin, storeLogin, type ServiceLogin } from './credentials.ts';
import { apiPath, type ServiceClient } from './service-client.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `login`: asks for the API key, tests it, and stores it for later commands. */
export async function login(
  address: string,
  env: Environment,
  output: CliOutput,
  connect: (login: ServiceLogin) => ServiceClient,
): Promise<ExitCode> {
  const url = normalUrl(address);
  if (url.startsWith('http:') && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(url))
    output.note(`warning: ${url} is not encrypted; others on the network can read the API key`);
  const given = env['TILTH_API_KEY'];
  const apiKey = checkedKey(given === undefined || given === '' ? await readKey() : given);
  const user = await connect({ url, apiKey }).call<{ username: string; role: string }>('GET', apiPath(['auth', 'me']));
  const file = await storeLogin(env, { url, apiKey });
  output.show(
    { url, ...user, file },
    () => `signed in at ${url} as ${user.username} (${user.role}); the key is stored in ${file}\n`,
  );
  return exitCodes.done;
}

/** `logout`: deletes the stored API key, which remains valid on the service. */
export async function logout(env: Environment, output: CliOutput): Promise<ExitCode> {
  const isRemoved = await removeLogin(env);
  output.show({ removed: isRemoved }, () =>
    isRemoved ? 'signed out; the API key stays valid until it is deleted on the page API keys\n' : 'not signed in\n',
  );
  return exitCodes.done;
}

/** Reads the first line of standard input without echoing it. */
async function readKey(): Promise<string> {
  const isTyped = process.stdin.isTTY;
  if (isTyped) process.stderr.write('API key: ');
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTyped });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (isTyped) process.stderr.write('\n');
  }
  throw new CliProblem('standard input contains no API key', exitCodes.usage);
}
