import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secrets } from '../../secrets/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { lockName } from '../../storage/database/named-lock.ts';

const keyBytes = 32;

/**
 * The key that signs tokens: created on first start and stored in a file that only its owner can read. The file is created
 * atomically, so that two concurrent starts agree on one key.
 */
export async function loadSigningKey(file: string): Promise<Uint8Array> {
  const existing = await readKey(file);
  if (existing !== undefined) return existing;
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(keyBytes).toString('hex'));
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary);
  }
  await syncDirectory(dirname(file));
  const made = await readKey(file);
  if (made === undefined) throw new Error(`The signing key ${file} vanished`);
  return made;
}

/** The key's place in a database that several processes share: among the secrets, encrypted like them. */
const sharedKey = { kind: 'service', id: 'tokens', field: 'signingKey' };

/**
 * Like `loadSigningKey`, for processes that share only a database: the first one stores the key there, taking its own if it has
 * one, so that tokens that it issued stay valid.
 */
export async function loadSharedSigningKey(options: {
  db: Database;
  secrets: Pick<Secrets, 'find' | 'has' | 'put'>;
  file: string;
}): Promise<Uint8Array> {
  const { db, secrets, file } = options;
  for (;;) {
    const stored = await secrets.find(sharedKey);
    if (stored !== undefined) return Buffer.from(stored, 'hex');
    const own = (await readKey(file)) ?? randomBytes(keyBytes);
    await db.write(async (tx) => {
      await lockName(tx, 'signing key');
      if (!(await secrets.has(tx, sharedKey))) await secrets.put(tx, sharedKey, Buffer.from(own).toString('hex'));
    });
  }
}

/** Path of the key in a data directory. */
export function signingKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'jwt.key');
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length < keyBytes) throw new Error(`The signing key ${file} is damaged; remove it to have a new one made`);
  return key;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
