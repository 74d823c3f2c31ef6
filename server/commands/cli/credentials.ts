import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliProblem, exitCodes } from './cli-problem.ts';

/** The address of the service, and the API key for it. */
export type ServiceLogin = { url: string; apiKey: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for the login and for uploads that can be continued. */
export function configFolder(env: Environment): string {
  const base =
    env['XDG_CONFIG_HOME'] ?? (process.platform === 'win32' ? env['APPDATA'] : undefined) ?? join(homedir(), '.config');
  return join(base, 'tilth');
}

const fileOf = (env: Environment): string => join(configFolder(env), 'credentials.json');

/** Stores the login for later commands, readable only by its owner. */
export async function storeLogin(env: Environment, login: ServiceLogin): Promise<string> {
  const file = fileOf(env);
  await mkdir(configFolder(env), { recursive: true, mode: 0o700 });
  // Written to a new file first, because an existing one might be readable by others.
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
  return file;
}

/** Removes the login; returns whether there was one. */
export async function removeLogin(env: Environment): Promise<boolean> {
  const stored = await findStored(env);
  await rm(fileOf(env), { force: true });
  return stored !== undefined;
}

/** The login from the environment, else the stored one. A stored key is only sent to the address it was stored for. */
export async function getLogin(env: Environment): Promise<ServiceLogin> {
  const { TILTH_URL: givenUrl, TILTH_API_KEY: apiKey } = env;
  const stored = await findStored(env);
  const url = givenUrl === undefined ? stored?.url : normalUrl(givenUrl);
  if (url === undefined) throw new CliProblem('not signed in; run: npm start -- cli login URL', exitCodes.usage);
  if (apiKey !== undefined && apiKey !== '') return { url, apiKey: checkedKey(apiKey) };
  if (stored === undefined || stored.url !== url)
    throw new CliProblem(
      `not signed in at ${url}; run: npm start -- cli login ${url}, or set TILTH_API_KEY`,
      exitCodes.usage,
    );
  return stored;
}

async function findStored(env: Environment): Promise<ServiceLogin | undefined> {
  const file = fileOf(env);
  try {
    const { url, apiKey } = JSON.parse(await readFile(file, 'utf8')) as Partial<ServiceLogin>;
    return typeof url === 'string' && typeof apiKey === 'string' ? { url, apiKey } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw new CliProblem(`${file} cannot be read: ${(error as Error).message}`, exitCodes.usage, { cause: error });
  }
}

/** Normalises the address of a service for storage and comparison: without a trailing slash. */
export function normalUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new CliProblem(
      `${text} is not a valid service URL; use a form such as https://tilth.example.org`,
      exitCodes.usage,
    );
  if (url.username !== '' || url.password !== '')
    throw new CliProblem('the URL must not contain a username or password', exitCodes.usage);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Trims a key and checks that it is valid in a header. */
export function checkedKey(text: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CliProblem('this is not an API key', exitCodes.usage);
  return key;
}
