// The folder of an operator's author: its files as a package, with TypeScript bundled into one module.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { manifestPath, readPackage, type OperatorPackage } from '../../server/operator-packages/index.ts';

/** A folder without a usable operator; the message says why. */
export class FolderProblem extends Error {
  override readonly name = 'FolderProblem';
}

/** More cases for `operator:test`, in the form of examples; not part of the package. */
export const casesPath = 'cases.json';
const optional = ['icon.png', 'LICENSE'];

/** The package files in a folder: manifest, code, README, and, if present, an icon and a licence. */
export async function readFolder(folder: string): Promise<Map<string, Uint8Array>> {
  const manifest = readJson(join(folder, manifestPath));
  const { entry } = (manifest ?? {}) as { entry?: unknown };
  if (typeof entry !== 'string') throw new FolderProblem(`${manifestPath} has no entry`);
  const files = new Map<string, Uint8Array>();
  files.set(manifestPath, readFileSync(join(folder, manifestPath)));
  files.set('README.md', readRequired(join(folder, 'README.md')));
  files.set(entry, await readCode(folder, entry));
  for (const path of optional) if (isFile(join(folder, path))) files.set(path, readFileSync(join(folder, path)));
  return files;
}

/** The package of a folder. Throws FolderProblem, PackageRefused. */
export async function packageOf(folder: string): Promise<OperatorPackage> {
  return readPackage(await readFolder(folder));
}

/** If `operator.ts` exists, `operator.js` is bundled from it. */
async function readCode(folder: string, entry: string): Promise<Uint8Array> {
  const source = join(folder, entry.replace(/\.m?js$/, '.ts'));
  if (entry.endsWith('.wasm') || !isFile(source)) return readRequired(join(folder, entry));
  const { build } = await import('vite');
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry: source, formats: ['es'], fileName: () => entry },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []));
  const [chunk, ...others] = outputs.filter((one) => one.type === 'chunk');
  if (chunk === undefined || others.length > 0)
    throw new FolderProblem(`${entry} could not be bundled into one module`);
  return Buffer.from(chunk.code);
}

function readRequired(path: string): Uint8Array {
  if (!isFile(path)) throw new FolderProblem(`${path} does not exist`);
  return readFileSync(path);
}

export function readJson(path: string): unknown {
  const text = Buffer.from(readRequired(path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new FolderProblem(`${path} is not valid JSON`);
  }
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
