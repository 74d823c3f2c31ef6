import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { areAllToolsRequired } from './tools.ts';

const cache = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url));

export type Outcome = { code: number; output: string };

/** Runs a program to its end and captures both its outputs. */
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
 * A Python environment with the packages of a list, created once and kept in node_modules; call its programs as modules
 * (`-m`). Returns undefined and skips the test if it is not available.
 */
export async function pythonWith(t: TestContext, python: string, requirements: string): Promise<string | undefined> {
  const { program, problem } = findPython(python, requirements);
  if (problem === undefined) return program;
  if (areAllToolsRequired()) assert.fail(problem);
  t.skip(problem);
  return undefined;
}

type FoundPython = { program: string; problem: undefined } | { program: undefined; problem: string };

/** The same, or the reason why this machine can't have it. */
export function findPython(python: string, requirements: string): FoundPython {
  const version = run(python, ['--version']);
  const hash = createHash('sha256').update(readFileSync(requirements)).update(version.output);
  const home = join(cache, hash.digest('hex').slice(0, 16));
  const programOf = (folder: string): string => join(folder, 'bin', 'python');
  const found: FoundPython = { program: programOf(home), problem: undefined };
  if (existsSync(found.program)) return found;
  // Another test may create the same environment at the same moment: each creates its own copy, and one of them stays.
  const own = `${home}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  // Most installed modules are never imported, and pip would compile all of them.
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', '-r', requirements];
  const venv = run(python, ['-m', 'venv', own]);
  const installed = venv.code === 0 ? run(programOf(own), pip) : venv;
  try {
    if (installed.code === 0 && !existsSync(home)) renameSync(own, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
  }
  rmSync(own, { recursive: true, force: true });
  if (installed.code === 0) return found;
  const why = installed.output.trim().slice(-500);
  return { program: undefined, problem: `needs python3-venv and a registry of Python packages: ${why}` };
}

function run(program: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return { code: status ?? 1, output: error === undefined ? stdout + stderr : error.message };
}
