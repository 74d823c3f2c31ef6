import { execFile, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Ending } from '../support/server.ts';

const run = promisify(execFile);

/** A small file system in memory, with options such as `size=20m`; it goes with `t`. */
export async function mountSmallDisk(t: Ending, path: string, options: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  t.after(async () => {
    await run('umount', ['--lazy', path]);
  });
}

export function mayMount(): boolean {
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}
