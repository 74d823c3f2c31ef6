import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Ending } from '../support/server.ts';
import { findTool } from '../support/tools.ts';

const run = promisify(execFile);

/** What is missing to compile with these headers; undefined if nothing. */
export function missingForCompiling(
  headers: readonly { path: string; debianPackage: string }[] = [],
): string | undefined {
  const gcc = findTool('gcc');
  if (gcc.path === undefined) return `gcc (${gcc.howToGet} libc6-dev)`;
  const header = headers.find(({ path }) => !existsSync(path));
  return header === undefined ? undefined : `${header.path} (apt-get install ${header.debianPackage})`;
}

/** Compiles a program of `tests/faults/native/` into a folder that is removed with `t`; returns its path. */
export async function compile(t: Ending, source: string, options: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-native-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const output = join(directory, source.replace(/\.c$/, ''));
  const path = fileURLToPath(new URL(`native/${source}`, import.meta.url));
  await run('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', output, path, ...options]);
  return output;
}
