import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissingFile } from '../blobs/index.ts';
import { syncPath } from './backup-folder.ts';

const pieceBytes = 4 * 1024 * 1024;
/** Number of bytes by which a pack and its copy are compared before the copy is continued. */
const comparedBytes = 64 * 1024;

export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/**
 * Copies files, creating their folders; each file is durable before it gets its name, so a file under its name is complete.
 * Uses copies, not hard links, because damage to a shared inode would hit both. Where the file system supports it, blocks
 * are shared until one of the two files is written.
 */
export function createCopier() {
  const folders = new Set<string>();
  return {
    /** Returns whether there was something to copy. */
    async copy(from: string, to: string): Promise<boolean> {
      const folder = dirname(to);
      if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
      folders.add(folder);
      const partial = `${to}.partial`;
      try {
        await copyFile(from, partial, constants.COPYFILE_FICLONE);
      } catch (error) {
        await unlink(partial).catch(() => {});
        if (isMissingFile(error)) return false;
        throw error;
      }
      await syncPath(partial);
      await rename(partial, to);
      return true;
    },
    /** Makes the names of the copied files survive power loss. */
    async sync(): Promise<void> {
      for (const folder of folders) {
        await syncPath(folder);
        await syncPath(dirname(folder));
      }
    },
  };
}

/**
 * Copies a byte range of a file to the same place in another, durably; copies what there is of a missing or short source.
 */
export async function copyRange(
  source: string,
  target: string,
  { fromBytes, toBytes }: { fromBytes: number; toBytes: number },
): Promise<void> {
  await withBoth(source, target, async (from, to) => {
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(pieceBytes, toBytes - fromBytes)));
    for (let position = fromBytes; position < toBytes;) {
      const wanted = Math.min(buffer.length, toBytes - position);
      const { bytesRead } = await from.read(buffer, 0, wanted, position);
      if (bytesRead === 0) break;
      await writeAt(to, buffer.subarray(0, bytesRead), position);
      position += bytesRead;
    }
    await to.datasync();
  });
}

/** Whether an append-only file and its copy hold the same bytes just before `end`; also true when the source is missing. */
export async function isSameBefore(source: string, target: string, end: number): Promise<boolean> {
  let isSame = true;
  await withBoth(source, target, async (from, to) => {
    const length = Math.min(comparedBytes, end);
    const [one, other] = [Buffer.alloc(length), Buffer.alloc(length)];
    const first = await from.read(one, 0, length, end - length);
    const second = await to.read(other, 0, length, end - length);
    isSame = first.bytesRead === second.bytesRead && one.equals(other);
  });
  return isSame;
}

async function withBoth(
  source: string,
  target: string,
  work: (from: FileHandle, to: FileHandle) => Promise<void>,
): Promise<void> {
  let from: FileHandle;
  try {
    from = await open(source, 'r');
  } catch (error) {
    // The blob check reports the blobs of a missing file.
    if (isMissingFile(error)) return;
    throw error;
  }
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const to = await open(target, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await work(from, to);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
}
