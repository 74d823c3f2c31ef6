import { open, rename, truncate } from 'node:fs/promises';
import type { Random } from '../random.ts';

/** Where bytes are on the disk. */
export type Place = { path: string; offset: number };

/** A kind of damage to a file on disk. */
export type DamageKind = 'one-bit' | 'some-bits' | 'zeroed-block' | 'other-sector' | 'truncated' | 'removed';

export const damageKinds: readonly DamageKind[] = [
  'one-bit',
  'some-bits',
  'zeroed-block',
  'other-sector',
  'truncated',
  'removed',
];

/** Damages the stored bytes at one place; returns a function that undoes it. */
export async function damage(
  kind: DamageKind,
  { path, offset, sizeBytes }: Place & { sizeBytes: number },
  random: Random,
): Promise<() => Promise<void>> {
  const anywhere = (): number => offset + random.integer(0, sizeBytes - 1);
  switch (kind) {
    case 'removed':
      await rename(path, `${path}.away`);
      return () => rename(`${path}.away`, path);
    case 'truncated':
      return cutAt(path, anywhere());
    case 'zeroed-block': {
      const at = anywhere();
      return overwrite(path, at - (at % 4096), Buffer.alloc(4096));
    }
    case 'other-sector': {
      const at = anywhere();
      return overwrite(path, at - (at % 512), random.bytes(512));
    }
    case 'one-bit':
    case 'some-bits': {
      const undo: (() => Promise<void>)[] = [];
      const count = kind === 'one-bit' ? 1 : random.integer(2, 8);
      for (let flipped = 0; flipped < count; flipped += 1) {
        const at = anywhere();
        const [byte = 0] = await read(path, at, 1);
        undo.unshift(await overwrite(path, at, Buffer.from([byte ^ (1 << random.integer(0, 7))])));
      }
      return async () => {
        for (const step of undo) await step();
      };
    }
  }
}

/** The bytes at a place: fewer if the file ends early, undefined if it doesn't exist. */
export async function findBytes(place: Place, sizeBytes: number): Promise<Buffer | undefined> {
  try {
    return await read(place.path, place.offset, sizeBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function cutAt(path: string, length: number): Promise<() => Promise<void>> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  await file.close();
  const rest = await read(path, length, size - length);
  await truncate(path, length);
  return () => write(path, length, rest);
}

/** Never past the end of the file, where damage would have no effect. */
async function overwrite(path: string, at: number, bytes: Buffer): Promise<() => Promise<void>> {
  const before = await read(path, at, bytes.length);
  await write(path, at, bytes.subarray(0, before.length));
  return () => write(path, at, before);
}

async function read(path: string, at: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, at);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function write(path: string, at: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, at);
  } finally {
    await file.close();
  }
}
