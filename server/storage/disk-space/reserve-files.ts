import { randomFill } from 'node:crypto';
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files in a folder of their own that occupy space and inodes until they are removed. */
export type ReserveFiles = {
  /** Bytes that are actually allocated; 0 when there are no files. */
  heldBytes(): Promise<number>;
  /** Writes the missing files durably; a failure leaves none. */
  fill(): Promise<void>;
  /** Frees the space; returns whether there was any. */
  remove(): Promise<boolean>;
};

/** Number of inodes freed with the space: SQLite needs two for its log, the storage one for a new pack. */
const fileCount = 8;
const pieceBytes = 1024 * 1024;
const blockBytes = 512;
const fillRandomly = promisify(randomFill<Buffer>);

export function createReserveFiles(folder: string, sizeBytes: number): ReserveFiles {
  const fileBytes = Math.ceil(sizeBytes / fileCount);

  async function names(): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async function heldBytes(): Promise<number> {
    let held = 0;
    for (const name of await names()) held += (await stat(join(folder, name))).blocks * blockBytes;
    return held;
  }

  async function remove(): Promise<boolean> {
    const held = await names();
    for (const name of held) await unlink(join(folder, name));
    return held.length > 0;
  }

  return {
    heldBytes,
    remove,
    async fill() {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        for (let number = 0; number < fileCount; number += 1) {
          const file = await open(join(folder, String(number)), 'w', 0o600);
          try {
            await writeNoise(file, fileBytes);
            await file.datasync();
          } finally {
            await file.close();
          }
        }
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}

/** Random bytes, because file systems that compress or deduplicate blocks would allocate nothing for zeros. */
async function writeNoise(file: FileHandle, sizeBytes: number): Promise<void> {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes));
  for (let written = 0; written < sizeBytes;) {
    await fillRandomly(piece);
    written += (await file.write(piece, 0, Math.min(piece.length, sizeBytes - written))).bytesWritten;
  }
}
