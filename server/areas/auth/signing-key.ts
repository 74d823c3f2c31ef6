import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
