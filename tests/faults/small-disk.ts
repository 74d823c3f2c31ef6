import { execFile, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Ending } from '../support/server.ts';

const run = promisify(execFile);

/** A small tmpfs with mount options such as `size=20m`; unmounted with `t`. */
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
