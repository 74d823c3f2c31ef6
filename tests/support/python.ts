import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { areAllToolsRequired } from './tools.ts';

const cache = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url));

export type Outcome = { code: number; output: string };

/** Runs a program to its end; both of its outputs are kept. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { ...options, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/**
 * A Python of its own with the packages of a list, made once and kept in node_modules; call its programs as modules
 * (`-m`). Undefined, and the test skipped, where it can't be had.
 */
export async function pythonWith(t: TestContext, python: string, requirements: string): Promise<string | undefined> {
  const wanted = await readFile(requirements);
  const version = await runProgram(python, ['--version']);
  const home = join(cache, createHash('sha256').update(wanted).update(version.output).digest('hex').slice(0, 16));
  const program = (folder: string): string => join(folder, 'bin', 'python');
  const isThere = await access(program(home)).then(
    () => true,
    () => false,
  );
  if (isThere) return program(home);
  // Another test may make the same at the same moment: each makes its own, and one of them stays.
  const own = `${home}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  const venv = await runProgram(python, ['-m', 'venv', own]);
  const installed = venv.code === 0 ? await runProgram(program(own), pip) : venv;
  if (installed.code === 0) {
    await rename(own, home).catch(() => {});
    await rm(own, { recursive: true, force: true });
    return program(home);
  }
  await rm(own, { recursive: true, force: true });
  const reason = `needs python3-venv and a registry of Python packages: ${installed.output.trim().slice(-500)}`;
  if (areAllToolsRequired()) assert.fail(reason);
  t.skip(reason);
  return undefined;
}
