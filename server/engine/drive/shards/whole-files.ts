import { copyFile, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../kernel/ids.ts';
import type { FileHead } from '../../../encodings/encoding-detection.ts';

/** The location of a file's content, which may be a range of a larger file. */
type FileRange = { path: string; offset: number; sizeBytes: number };

/** Provides contents as files for readers that need whole files. */
export type WholeFiles = {
  /** A unique path in the scratch directory. */
  scratchPath(name: string): Promise<string>;
  /** Calls `work` with a path to a file that holds exactly this content. */
  withFile<T>(range: FileRange, work: (path: string) => Promise<T>): Promise<T>;
};

export function createWholeFiles(scratchDirectory: string): WholeFiles {
  async function scratchPath(name: string): Promise<string> {
    await mkdir(scratchDirectory, { recursive: true });
    return join(scratchDirectory, `${newId()}-${name}`);
  }

  return {
    scratchPath,
    async withFile({ path, offset, sizeBytes }, work) {
      const { size } = await stat(path);
      if (offset === 0 && size === sizeBytes) return work(path);
      const copy = await scratchPath('source.parquet');
      try {
        await copyRange(path, copy, offset, sizeBytes);
        return await work(copy);
      } finally {
        await rm(copy, { force: true });
      }
    },
  };
}

/** The first extracted rows without the wrapper `{"t":ROW}`. */
export async function linesOf(path: string, maxBytes: number): Promise<FileHead> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, maxBytes)), 0, null, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // A line without its end is an incomplete row.
    lines.pop();
    const rows = lines.map((line) => `${line.slice('{"t":'.length, -1)}\n`);
    return { bytes: Buffer.from(rows.join('')), isWholeFile: bytesRead === size };
  } finally {
    await file.close();
  }
}

async function copyRange(source: string, target: string, offset: number, sizeBytes: number): Promise<void> {
  const { size } = await stat(source);
  if (offset === 0 && size === sizeBytes) {
    await copyFile(source, target);
    return;
  }
  const bytes = new Uint8Array(sizeBytes);
  const file = await open(source, 'r');
  try {
    for (let at = 0; at < sizeBytes;) {
      const { bytesRead } = await file.read(bytes, at, sizeBytes - at, offset + at);
      if (bytesRead === 0) throw new Error(`${source} ends at byte ${offset + at}`);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  await writeFile(target, bytes);
}
