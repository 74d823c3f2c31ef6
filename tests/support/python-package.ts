import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { pythonWith, runProgram, type Outcome } from './python.ts';

export const packageFolder = fileURLToPath(new URL('../../clients/python', import.meta.url));
const requirements = fileURLToPath(new URL('../python-package/requirements.txt', import.meta.url));

/** The Python package, built and installed as users do it, and a folder for a test. */
export type PythonPackage = {
  python: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Runs Python with the package. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Outcome>;
};

/** Returns undefined and skips the test if Python or its packages are not available. */
export async function installPythonPackage(t: TestContext, python: string): Promise<PythonPackage | undefined> {
  const program = await pythonWith(t, python, requirements);
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tilth-python-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [wheels, site] = [join(folder, 'wheels'), join(folder, 'site')];
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const built = await runProgram(program, [
    ...pip,
    'wheel',
    '--no-deps',
    '--no-build-isolation',
    '-w',
    wheels,
    packageFolder,
  ]);
  assert.equal(built.code, 0, built.output);
  const [wheel = ''] = await readdir(wheels);
  const installed = await runProgram(program, [
    ...pip,
    'install',
    '--no-deps',
    '--no-index',
    '--target',
    site,
    join(wheels, wheel),
  ]);
  assert.equal(installed.code, 0, installed.output);
  const env = { ...process.env, PYTHONPATH: site, XDG_CONFIG_HOME: join(folder, 'config') };
  return {
    python: program,
    folder,
    env,
    run: (args, more = {}) => runProgram(program, args, { env: { ...env, ...more }, cwd: folder }),
  };
}
