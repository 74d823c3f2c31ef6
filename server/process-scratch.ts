// Scratch folders of cluster processes, which are deleted with their process.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratchName = /^tilth-(?:worker|driver)-(\d+)$/;

/** Creates the folder of this process, and deletes those of killed processes. */
export async function openProcessScratch(kind: 'worker' | 'driver'): Promise<string> {
  await clearScratch(tmpdir());
  const directory = join(tmpdir(), `tilth-${kind}-${process.pid}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function clearScratch(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(scratchName.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    // It may belong to another user.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
