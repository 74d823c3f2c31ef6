// `npm run check [-- --skip=tests,…|--only=types,…]`: everything that must pass before a commit. Every step runs, so
// that one run reports all failures.
import { performance } from 'node:perf_hooks';
import { runNode } from './child-process.ts';

const steps = {
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  lint: ['node_modules/oxlint/bin/oxlint'],
  types: ['node_modules/typescript/bin/tsc', '--noEmit'],
  'web-types': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'],
  docs: ['scripts/generate-docs.ts', '--check'],
  openapi: ['scripts/openapi/lint.ts'],
  tests: ['scripts/test.ts'],
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const named = (option: string): string[] =>
    args.flatMap((arg) => (arg.startsWith(`--${option}=`) ? arg.slice(option.length + 3).split(',') : []));
  const skipped = named('skip');
  const only = named('only');
  const strange = args.filter((arg) => !/^--(?:skip|only)=./.test(arg));
  const unknown = [...strange, ...skipped, ...only].filter((name) => !Object.hasOwn(steps, name));
  if (unknown.length > 0) {
    console.error(`Unknown argument or step: ${unknown.join(', ')}. Steps: ${Object.keys(steps).join(', ')}.`);
    return 1;
  }
  const failed: string[] = [];
  for (const [name, script] of Object.entries(steps)) {
    if (skipped.includes(name) || (only.length > 0 && !only.includes(name))) continue;
    console.log(`\n── ${name}`);
    const started = performance.now();
    const code = await runNode(script);
    console.log(
      `── ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
    if (code !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}
