import { randomBytes } from 'node:crypto';
import { open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createKey, keyBytes, type SecretKey } from './encryption.ts';

/** The keys available to this process. The database records which one is in use. */
export type KeyRing = {
  /** Origin of the keys, for messages. */
  readonly source: string;
  find(id: string): SecretKey | undefined;
  /** The key to start with if none is in use yet; created if there is none. */
  first(): Promise<SecretKey>;
  /** The key to rotate to; undefined if the configuration has no other than `current`. */
  next(current: string): Promise<SecretKey | undefined>;
  /** Removes all other keys; returns false if an administrator has to do it. */
  keepOnly(id: string): Promise<boolean>;
  /** Reads the keys again; another process may have changed them. */
  reload(): Promise<void>;
};

/** A key file that must not be overwritten. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** Path of the key file in a data directory. */
export function secretsKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'secrets.key');
}

/** Keys in a file that only its owner can read: one line of hexadecimal digits per key. */
export async function openFileKeyRing(file: string): Promise<KeyRing> {
  let keys = await readKeys(file);

  async function write(kept: readonly SecretKey[]): Promise<void> {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(kept.map(({ bytes }) => `${Buffer.from(bytes).toString('hex')}\n`).join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      await rename(temporary, file);
    } catch (error) {
      await unlink(temporary);
      throw error;
    }
    await syncDirectory(dirname(file));
    keys = kept;
  }

  async function add(): Promise<SecretKey> {
    const key = createKey(randomBytes(keyBytes));
    await write([...(await readKeys(file, { strict: true })), key]);
    return key;
  }

  return {
    source: `the file ${file}`,
    find: (id) => keys.find((key) => key.id === id),
    async first() {
      keys = await readKeys(file);
      return keys[0] ?? add();
    },
    next: add,
    async keepOnly(id) {
      await write((await readKeys(file, { strict: true })).filter((key) => key.id === id));
      return true;
    },
    async reload() {
      keys = await readKeys(file);
    },
  };
}

/** Keys from the setting: the first one is used, the others only decrypt older values. */
export function createSettingKeyRing(text: string): KeyRing {
  const keys = parseKeys(text);
  const [newest] = keys;
  if (newest === undefined) throw new Error('the setting holds no key');
  return {
    source: 'TILTH_SECRETS_KEY',
    find: (id) => keys.find((key) => key.id === id),
    first: async () => newest,
    next: async (current) => (newest.id === current ? undefined : newest),
    keepOnly: async () => keys.length === 1,
    reload: async () => {},
  };
}

/** Keys of 64 hexadecimal digits, separated by commas. */
function parseKeys(text: string): SecretKey[] {
  return text.split(',').map((part) => {
    const digits = part.trim();
    if (!/^[\da-f]{64}$/i.test(digits)) throw new Error('is no key of 64 hexadecimal digits');
    return createKey(Buffer.from(digits, 'hex'));
  });
}

/** The readable keys of the file; a damaged line is skipped, and prevents the file from being overwritten. */
async function readKeys(file: string, { strict = false } = {}): Promise<readonly SecretKey[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line) => {
    try {
      return parseKeys(line);
    } catch (error) {
      if (!strict) return [];
      throw new KeyFileError(`The key file ${file} is damaged; put it back from where you keep a copy`, {
        cause: error,
      });
    }
  });
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
