import { glob, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type SampleFile = { path: string; content: Buffer };

const textNames = /^(licen[cs]e|copying|notice|readme|changelog|history|authors)([.-][a-z]+)*$/i;
const maxFileBytes = 1 << 20;

/** Licences and readmes from `node_modules`, and one table of the packages' descriptions. */
export async function collectSampleFiles(folder: string, limit: number): Promise<SampleFile[]> {
  const files: SampleFile[] = [];
  const descriptions: string[] = [];
  const paths: string[] = [];
  for await (const path of glob('**/*', { cwd: folder, exclude: (name) => name === '.bin' || name === '.cache' })) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (textNames.test(name) || name === 'package.json') paths.push(path);
  }
  for (const path of paths.toSorted()) {
    const file = join(folder, path);
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > maxFileBytes) continue;
    const content = await readFile(file);
    if (!path.endsWith('package.json')) {
      if (files.length < limit) files.push({ path, content });
    } else if (path.split('/').length <= 3) {
      descriptions.push(...describe(content));
    }
  }
  if (descriptions.length > 0) {
    files.push({ path: 'packages.jsonl', content: Buffer.from(`${descriptions.join('\n')}\n`) });
  }
  return files;
}

function describe(manifest: Buffer): string[] {
  try {
    const { name, version, license, description } = JSON.parse(manifest.toString('utf8')) as Record<string, unknown>;
    if (typeof name !== 'string') return [];
    return [JSON.stringify({ name, version, license, text: typeof description === 'string' ? description : '' })];
  } catch {
    return [];
  }
}
