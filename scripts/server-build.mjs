// Builds the service into `dist/` if its sources or packages have changed since the last build: a process or thread starts in a
// fifth of the time that it needs from the sources, some 2,700 modules.
import { accessSync, constants, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkout } from './bootstrap.mjs';
import { digestOf, listFiles, makeCurrent } from './current-build.mjs';
import { InstallError } from './package-install.mjs';

/**
 * Modules that start a process or a thread, or are loaded by their path. Not `isolate-process.ts`: its sandbox contains only its own
 * folder.
 */
const entries = [
  'server/main.ts',
  'server/operators/index.ts',
  'server/engine/work/worker.ts',
  'server/documents/pdf/pdf-library.ts',
];
const entryPattern = /-(?:guard|thread|worker|process)\.ts$/;
const notEntries = new Set(['server/sandbox/isolate-process.ts']);
/** Packages of many modules. Others are not bundled: they load native code or their own files, or are small. */
const bundled =
  /^(?:typebox|kysely|libphonenumber-js|htmlparser2|domhandler|domutils|dom-serializer|domelementtype|entities|markdown-it|mdurl|linkify-it|uc\.micro|punycode\.js|seek-bzip|jose)(?:\/|$)/;
/** For this long, a process that still runs an older build may load parts of it. */
const keptMs = 24 * 3_600_000;

/**
 * Makes a build current; a second call only hashes the sources. Throws an InstallError whose message says what failed.
 * @param {string} node the Node that runs the build
 * @param {{ output?: string, more?: readonly string[], sources?: readonly string[] }} [options] the folder of the build, entries besides
 * the service's, and the modules these import, as paths from the checkout
 * @returns {Promise<string>} the folder of the build
 */
export async function buildServer(node, { output = join(checkout, 'dist'), more = [], sources = [] } = {}) {
  await makeCurrent({
    name: 'the service',
    output,
    // The modules contain the paths of their sources, so a moved checkout needs a new build.
    digest: digestOf(
      [...listSources(), ...more, ...sources, 'scripts/server-build.mjs', 'package-lock.json'],
      checkout,
    ),
    // Not in this process, which may be an older Node.
    command: [node, fileURLToPath(import.meta.url), output, ...more],
    env: { NO_COLOR: '1', FORCE_COLOR: '0' },
    prepare: () => requireWritable(output),
  });
  return output;
}

/** The bundler's own error names neither the folder nor its purpose. */
function requireWritable(output) {
  try {
    mkdirSync(output, { recursive: true });
    // A build is written to a temporary folder beside it, whose files then replace the older ones.
    const inside = readdirSync(output, { recursive: true, withFileTypes: true });
    const folders = inside.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of [dirname(output), output, ...folders]) accessSync(path, constants.W_OK);
  } catch (error) {
    throw new InstallError(
      `The service must be built into ${output}, but ${error.path} can't be written to (${error.code}): make it a writable folder, then run the same command again.`,
    );
  }
}

const listSources = () =>
  listFiles(join(checkout, 'server'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `server/${path}`);

async function build(output, more) {
  const { rolldown } = await import('rolldown');
  const found = listSources().filter((path) => entryPattern.test(path) && !notEntries.has(path));
  const input = Object.fromEntries(
    [...new Set([...entries, ...found, ...more])].map((path) => [path.replace(/\.ts$/, ''), join(checkout, path)]),
  );
  const bundle = await rolldown({
    input,
    platform: 'node',
    cwd: checkout,
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !bundled.test(id),
    plugins: [{ name: 'addresses', transform: { filter: { code: 'import.meta.url' }, handler: withAddress } }],
    transform: { define: { buildFolder: JSON.stringify(output) } },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  // Processes of an older build may start threads meanwhile: files are replaced whole, parts before their importers.
  const fresh = `${output}.new`;
  rmSync(fresh, { recursive: true, force: true });
  await bundle.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[hash].js',
    minify: false,
  });
  // Without a package.json above the build, Node would parse each module twice to determine its type.
  writeFileSync(join(fresh, 'package.json'), '{ "type": "module" }\n');
  const chunks = join(output, 'chunks');
  const written = listFiles(fresh);
  for (const path of [...written.filter((one) => isPart(one)), ...written.filter((one) => !isPart(one))]) {
    mkdirSync(dirname(join(output, path)), { recursive: true });
    renameSync(join(fresh, path), join(output, path));
  }
  rmSync(fresh, { recursive: true });
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path);
  }
}

const isPart = (path) => path.startsWith('chunks');

/**
 * Replaces `import.meta.url` with the source's own URL, from which files beside it and modules of threads are found.
 */
function withAddress(code, id) {
  return relative(checkout, id).startsWith('node_modules')
    ? null
    : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [output, ...more] = process.argv.slice(2);
  try {
    await build(output, more);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
