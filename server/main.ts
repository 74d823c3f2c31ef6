import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runCommandLine, printProblem } from './command-line.ts';
import { takeGivenBuild } from './commands/given-build.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// Set before the first file is opened: reads, writes and fsyncs share these threads, and compete for the default of 4.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

// Set before any WebAssembly runs: when several threads compile a wrapper of an imported function at once, V8 13.6 may
// free it twice and crash the process ("Check failed: jit_page_->allocations_.erase"). This budget is never reached, so
// no wrapper is compiled.
setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');

try {
  const build = takeGivenBuild(process.argv);
  if (build === undefined) await runCommandLine(process.argv.slice(2), { env: process.env, version });
  else await import(build);
} catch (error) {
  printProblem(error);
}
