// `npm run bench [-- NAME…]`: runs bench/*.bench.ts one after the other, or only those whose name contains one of the
// given texts.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { runNode } from '../scripts/child-process.ts';
import { buildForTests } from '../scripts/test-build.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const all = globSync('bench/*.bench.ts').sort();
  const files = args.length === 0 ? all : all.filter((file) => args.some((text) => nameOf(file).includes(text)));
  console.log(`Benchmarks: ${all.map(nameOf).join(', ') || 'none'}`);
  if (files.length === 0 && args.length > 0) {
    console.error(`No benchmark is called like ${args.join(' or ')}.`);
    return 1;
  }
  const fromBuild = await buildForTests();
  const failed: string[] = [];
  for (const file of files) {
    console.log(`\n── ${nameOf(file)}`);
    if ((await runNode([...fromBuild, file])) !== 0) failed.push(nameOf(file));
  }
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}

function nameOf(file: string): string {
  return basename(file, '.bench.ts');
}
