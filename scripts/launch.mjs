// `node scripts/launch.mjs [--generated] [--web] [--built] FILE [ARGUMENT…]`: installs what is missing, then runs the file with Node 24 as
// a child process, to which it forwards signals and whose exit code it returns. `--generated` updates the generated files that are not
// committed; `--web` updates the build of the web application, `--built` the build of the service, and runs the file from it. All commands
// of package.json start here.
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { bootstrap, checkout } from './bootstrap.mjs';
import { InstallError } from './package-install.mjs';

try {
  const node = await bootstrap();
  const args = process.argv.slice(2);
  if (args[0] === '--generated') {
    args.shift();
    const { makeGeneratedFiles } = await import('./generated-files.mjs');
    await makeGeneratedFiles(node);
  }
  if (args[0] === '--web') {
    args.shift();
    const { buildWeb } = await import('./web-build.mjs');
    await buildWeb(node);
  }
  if (args[0] === '--built') {
    args.shift();
    const { buildServer } = await import('./server-build.mjs');
    const output = await buildServer(node);
    const file = args.findIndex((arg) => arg.endsWith('.ts'));
    args[file] = join(output, args[file].replace(/\.ts$/, '.js'));
  }
  run(node, args);
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function run(node, args) {
  const path = [join(checkout, 'node_modules', '.bin'), dirname(node), process.env.PATH ?? ''].join(delimiter);
  // With cached compiled code and types already stripped, the server starts in about 60 % of the time.
  const cache = process.env.NODE_COMPILE_CACHE ?? join(checkout, 'node_modules', '.cache', 'node');
  // By default, the C library gives threads their own memory pools: a third more memory while large indexes grow.
  const pools = process.env.MALLOC_ARENA_MAX ?? '2';
  const env = { ...process.env, PATH: path, NODE_COMPILE_CACHE: cache, MALLOC_ARENA_MAX: pools };
  const child = spawn(node, args, { stdio: 'inherit', env });
  const forward = (signal) => {
    // A terminal sends Ctrl-C to every process itself; forwarding it would look like a second Ctrl-C to the child.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}
