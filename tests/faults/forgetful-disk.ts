import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Ending } from '../support/server.ts';
import { findTool } from '../support/tools.ts';
import { compile, missingForCompiling } from './native-programs.ts';

/** What happens to unsynced bytes at a loss of power. */
export const survivals = ['nothing', 'everything', 'pages', 'sectors'] as const;
export type Survival = (typeof survivals)[number];

export type PowerLoss = {
  /** Number of the change at which the power fails, from 1; 0: never. */
  nth: number;
  survival: Survival;
  seed: number;
  /** Syncing a new file also makes its name durable. */
  syncsNames: boolean;
  /** Folder into which the surviving tree is written. */
  output: string;
};

/** A file system that loses unsynced changes. */
export type ForgetfulDisk = {
  /** Starts counting changes. */
  arm(loss: PowerLoss): Promise<void>;
  /** Changes since `arm`. */
  count(): Promise<number>;
  /** Resolves once the power has failed and the surviving tree is written. */
  readonly cut: Promise<void>;
  /** Unmounts it. */
  end(): Promise<void>;
};

const fuseHeader = { path: '/usr/include/fuse3/fuse.h', debianPackage: 'libfuse3-dev' };

/** What this machine lacks for such a disk; undefined if nothing. */
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
      // The process unmounts it when it exits.
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Whether mounting is forbidden, as in many containers: tested by a cheap mount. */
function mayMount(): boolean {
  if (process.getuid?.() !== 0) return true;
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}
