import { isIP } from 'node:net';
import { parseDestination } from '../kernel/destination.ts';

type Section =
  | 'Server'
  | 'Storage'
  | 'Queries'
  | 'Access'
  | 'Outgoing calls'
  | 'Rate limits'
  | 'Uploads'
  | 'Archives'
  | 'Documents'
  | 'Knowledge bases'
  | 'Runs'
  | 'Cluster'
  | 'Logs';

/** A setting: its name, its type and one sentence about its effect. */
export type Setting<T> = {
  env: string;
  section: Section;
  sentence: string;
  /** Type and range in words, for the documentation. */
  type: string;
  default: T;
  /** The value is never printed or logged. */
  secret: boolean;
  /** Parses the text; throws an Error that says what is expected. */
  parse(text: string): T;
};

type Words = { section: Section; sentence: string; secret?: boolean };

export function text(env: string, fallback: string, words: Words): Setting<string> {
  return { env, default: fallback, secret: false, type: 'text', ...words, parse: requireText };
}

export function optionalText(
  env: string,
  words: Words & { type: string; check?: (text: string) => void },
): Setting<string | undefined> {
  const { check, ...rest } = words;
  return {
    env,
    default: undefined,
    secret: false,
    ...rest,
    parse(text) {
      check?.(text);
      return requireText(text);
    },
  };
}

export function integer(env: string, fallback: number, words: Words & { min: number; max: number }): Setting<number> {
  const { min, max, ...rest } = words;
  return {
    env,
    default: fallback,
    secret: false,
    type: `integer, ${min} to ${max}`,
    ...rest,
    parse(text) {
      const number = Number(text);
      if (!/^\d+$/.test(text) || number < min || number > max)
        throw new Error(`must be an integer from ${min} to ${max}`);
      return number;
    },
  };
}

export function choice<const V extends readonly string[]>(
  env: string,
  values: V,
  fallback: V[number],
  words: Words,
): Setting<V[number]> {
  return {
    env,
    default: fallback,
    secret: false,
    type: values.join(', '),
    ...words,
    parse(text) {
      if (!values.includes(text)) throw new Error(`must be one of ${values.join(', ')}`);
      return text;
    },
  };
}

export function onOff(env: string, fallback: boolean, words: Words): Setting<boolean> {
  return {
    env,
    default: fallback,
    secret: false,
    type: 'true or false',
    ...words,
    parse(text) {
      if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
      return text === 'true';
    },
  };
}

export function list(
  env: string,
  words: Words & { type: string; check: (item: string) => void },
): Setting<readonly string[]> {
  const { check, ...rest } = words;
  return {
    env,
    default: [],
    secret: false,
    ...rest,
    parse(text) {
      const items = text.split(',').map((item) => item.trim());
      for (const item of items) check(item);
      return items;
    },
  };
}

/** The service's own paths. A base path that overlaps one would be ambiguous behind a proxy that strips it. */
const ownPaths = ['/api/v1', '/docs', '/assets', '/healthz', '/readyz', '/metrics'];

export function basePath(env: string, words: Words): Setting<string> {
  return {
    env,
    default: '',
    secret: false,
    type: 'path',
    ...words,
    parse(text) {
      const path = text.trim().replace(/\/$/, '');
      if (path === '') return '';
      if (!/^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._~-]+)+$/.test(path))
        throw new Error('must be a path like /tilth, of letters, digits and . _ ~ - between slashes');
      const own = ownPaths.find((each) => `${each}/`.startsWith(`${path}/`) || path.startsWith(`${each}/`));
      if (own !== undefined) throw new Error(`must not overlap ${own}, which is a path of the service itself`);
      return path;
    },
  };
}

/** Requires an IP address, or a network as address and prefix length; throws an Error otherwise. */
export function requireNetwork(text: string): void {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isPrefix || rest.length > 0)
    throw new Error('must be addresses or networks like 10.0.0.0/8, separated by commas');
}

/** Requires a host, address or network; hosts and addresses may have a port. */
export function requireDestination(text: string): void {
  try {
    parseDestination(text);
  } catch {
    throw new Error(
      'must be hosts, addresses or networks like localhost:11434, 10.1.0.0/16 or [::1]:443, separated by commas and without wildcards',
    );
  }
}

function requireText(value: string): string {
  if (value.trim() === '') throw new Error('must not be empty');
  return value;
}
