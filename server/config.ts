import { readFileSync } from 'node:fs';
import { accessSettings } from './config/access.ts';
import { dataSettings } from './config/data.ts';
import { runSettings } from './config/runs.ts';
import { logSettings, serverSettings } from './config/server.ts';
import type { Setting } from './config/setting-types.ts';
import { storageSettings } from './config/storage.ts';

/** A setting with an unusable value; its message is printed on the console as one line. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** All settings. `docs/settings.md` and `--help settings` are generated from this. */
export const settings = {
  ...serverSettings,
  ...storageSettings,
  ...accessSettings,
  ...dataSettings,
  ...runSettings,
  ...logSettings,
} as const;

type Settings = typeof settings;

/** The value of every setting. */
export type Config = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never };

/** Names a JSON file with settings, keyed as in `settings` (`{"port": 7700}`). */
export const configFileVariable = 'TILTH_CONFIG';

/** Variables of the tests share the prefix, but are not settings. */
const foreignPrefix = 'TILTH_TEST_';

/**
 * Reads the settings from the environment and, if `TILTH_CONFIG` names one, from a JSON file; the environment wins.
 * Throws SettingError for an unusable value and for an unknown name.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const file = env[configFileVariable];
  const fromFile = file === undefined ? {} : readConfigFile(file);
  const names = new Map<string, string>(Object.values(settings).map((setting) => [setting.env, setting.env]));
  for (const name of Object.keys(env)) {
    if (!name.startsWith('TILTH_') || name.startsWith(foreignPrefix) || name === configFileVariable) continue;
    if (!names.has(name) && !isOfPlatform(name, env))
      throw new SettingError(`${name} is not a setting${suggestion(name, [...names.keys()])}`);
  }
  for (const key of Object.keys(fromFile)) {
    if (!Object.hasOwn(settings, key))
      throw new SettingError(`${key} in ${file} is not a setting${suggestion(key, Object.keys(settings))}`);
  }
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const inEnv = isAddressOfService(setting.env, env) ? undefined : env[setting.env];
    const value = inEnv ?? fromFile[key];
    const where = inEnv === undefined ? `${key} in ${file}` : setting.env;
    values[key] = value === undefined ? setting.default : parse(setting, value, where);
  }
  return values as Config;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What Kubernetes and Docker tell a container about the service `tilth-api`, in names that begin like ours. */
const serviceVariable =
  /^(TILTH(?:_[A-Z0-9_]+?)??)_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

function isOfPlatform(name: string, env: Environment): boolean {
  const service = serviceVariable.exec(name)?.[1];
  return service !== undefined && env[`${service}_SERVICE_HOST`] !== undefined;
}

/** A service that is called `tilth` makes `TILTH_PORT=tcp://10.0.0.1:80`. */
function isAddressOfService(name: string, env: Environment): boolean {
  return isOfPlatform(name, env) && /^(?:tcp|udp|sctp):\/\//.test(env[name] ?? '');
}

function parse(setting: Setting<unknown>, value: string, where: string): unknown {
  try {
    return setting.parse(value);
  } catch (error) {
    const shown = setting.secret ? '' : `, not ${withoutUser(JSON.stringify(value))}`;
    throw new SettingError(`${where} ${(error as Error).message}${shown}`);
  }
}

/** Removes everything before the @ from a quoted value, as in s3://user:password@bucket. */
function withoutUser(quoted: string): string {
  return quoted.replace(/^("(?:[a-z0-9+.-]+:\/\/)?).*@/i, '$1…@');
}

function readConfigFile(file: string): Record<string, string> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new SettingError(`The file ${file} named by ${configFileVariable} ${reason}`, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new SettingError(`The file ${file} named by ${configFileVariable} must contain a JSON object`);
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Array.isArray(value) ? value.join(',') : String(value)]),
  );
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = known.map((other) => ({ other, distance: editDistance(name, other) }));
  nearest.sort((a, b) => a.distance - b.distance);
  const [best] = nearest;
  return best !== undefined && best.distance <= 3 ? `; did you mean ${best.other}?` : '';
}

/** Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
