import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Ending } from '../support/server.ts';
import { findTool } from '../support/tools.ts';
import { compile, missingForCompiling } from './native-programs.ts';

/** What becomes of bytes that were not synced when the power goes. */
export const survivals = ['nothing', 'everything', 'pages', 'sectors'] as const;
export type Survival = (typeof survivals)[number];

export type PowerLoss = {
  /** At which change of the disk, from 1; 0: never. */
  nth: number;
  survival: Survival;
  seed: number;
  /** Syncing a new file makes its name durable, too. */
  syncsNames: boolean;
  /** Folder where the tree that has survived is written. */
  output: string;
};

/** A file system that forgets what was not synced. */
export type ForgetfulDisk = {
  /** From here on changes are counted. */
  arm(loss: PowerLoss): Promise<void>;
  /** Changes since it was armed. */
  count(): Promise<number>;
  /** Resolves when the power is gone and the surviving tree is written. */
  readonly cut: Promise<void>;
  /** Unmounts it. */
  end(): Promise<void>;
};

const fuseHeader = { path: '/usr/include/fuse3/fuse.h', debianPackage: 'libfuse3-dev' };

/** What this machine lacks for such a disk, or undefined. */
export function missingForForgetfulDisk(): string | undefined {
  const compiler = missingForCompiling([fuseHeader]);
  if (compiler !== undefined) return compiler;
  const fusermount = findTool('fusermount3', 'fuse3');
  if (fusermount.path === undefined) return `fusermount3 (${fusermount.howToGet})`;
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    return '/dev/fuse (run where FUSE is allowed)';
  }
  return mayMount() ? undefined : 'the right to mount (run where FUSE is allowed)';
}

export const compileForgetfulDisk = (t: Ending): Promise<string> =>
  compile(t, 'forgetful-disk.c', ['-I/usr/include/fuse3', '-lfuse3', '-lpthread']);

/** Mounts a disk that holds a copy of `source`. */
export async function mountForgetfulDisk(options: {
  program: string;
  mountPoint: string;
  source: string;
}): Promise<ForgetfulDisk> {
  const child = spawn(options.program, [options.mountPoint, options.source], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const waiting: ((line: string) => void)[] = [];
  let noteCut = (): void => {};
  const cut = new Promise<void>((resolve) => (noteCut = resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'cut') noteCut();
    else waiting.shift()?.(line);
  });
  const answer = (): Promise<string> =>
    Promise.race([
      new Promise<string>((resolve) => waiting.push(resolve)),
      exited.then(() => {
        throw new Error('The forgetful disk has ended');
      }),
    ]);
  const ready = answer();
  await ready;
  return {
    cut,
    async arm({ nth, survival, seed, syncsNames, output }) {
      const armed = answer();
      child.stdin.write(`arm ${nth} ${survivals.indexOf(survival)} ${seed} ${syncsNames ? 1 : 0} ${output}\n`);
      await armed;
    },
    async count() {
      const counted = answer();
      child.stdin.write('count\n');
      return Number(await counted);
    },
    async end() {
      // It unmounts itself on the way out.
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Whether mounting is forbidden here, as in many containers: asked of the kernel by a mount that costs nothing. */
function mayMount(): boolean {
  if (process.getuid?.() !== 0) return true;
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}
