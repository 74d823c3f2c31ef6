// Installs what a checkout lacks, and nothing else: Node 24 if the machine's own is older, then the packages. It runs
// on the machine's Node (20 or newer) with only built-in modules, so it is plain JavaScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireInstallLock } from './install-lock.mjs';
import { InstallError, installPackages, unreachable } from './package-install.mjs';

const OLDEST_NODE_TO_START_WITH = 20;
const OLDEST_NODE_TO_RUN_ON = 24;

/** The folder of the checkout that this script belongs to. */
export const checkout = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));

/**
 * Makes the checkout runnable and returns the path of the Node that runs it; throws an InstallError whose message says
 * what the user can do. A second call finds everything installed and only reads the lock files.
 * @param {NodeJS.WriteStream} [output] where progress is shown
 * @returns {Promise<string>}
 */
export async function bootstrap(output = process.stderr) {
  const major = majorVersion(process.version);
  if (major < OLDEST_NODE_TO_START_WITH) {
    throw new InstallError(
      `Tilth requires Node ${OLDEST_NODE_TO_START_WITH} or newer to start; this is ${process.version}.`,
    );
  }
  // The Node that an earlier bootstrap put into this checkout must follow runtime/, so it doesn't count as the
  // machine's own.
  const isOurs = realpathSync(process.execPath).startsWith(join(checkout, 'runtime') + sep);
  const steps = [];
  let node = process.execPath;
  if (major < OLDEST_NODE_TO_RUN_ON || isOurs) {
    const runtime = runtimeStep();
    node = runtime.node;
    steps.push(runtime);
  }
  steps.push(packagesStep(node));
  if (steps.every((step) => step.isDone())) return node;

  const lock = await acquireInstallLock(join(checkout, 'runtime', '.install-lock'), (pid) =>
    output.write(`Process ${pid} is installing Tilth here; waiting for it …\n`),
  );
  try {
    // The previous holder of the lock may have finished everything.
    for (const step of steps) if (!step.isDone()) await step.run({ output, lock });
  } finally {
    lock.release();
  }
  return node;
}

/**
 * Installs the packages of another folder of this checkout with its own lock file, for a tool that few commands need.
 * @param {string} folder
 * @param {string} title shown to the user
 * @param {NodeJS.WriteStream} [output]
 */
export async function installFolder(folder, title, output = process.stderr) {
  const stamp = stampOf(folder, `${process.platform}-${process.arch}`);
  if (stamp.isCurrent()) return;
  const lock = await acquireInstallLock(join(checkout, 'runtime', '.install-lock'), (pid) =>
    output.write(`Process ${pid} is installing Tilth here; waiting for it …\n`),
  );
  try {
    if (stamp.isCurrent()) return;
    await installPackages({ folder, node: process.execPath, title, output, lock });
    stamp.write();
  } finally {
    lock.release();
  }
}

/** Node 24 from the package registry, as pinned in runtime/. */
function runtimeStep() {
  const folder = join(checkout, 'runtime');
  const platform = `${process.platform}-${process.arch}`;
  const name = `node-${platform}`;
  const version = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).optionalDependencies[name];
  if (version === undefined) {
    throw new InstallError(
      `Tilth requires Node ${OLDEST_NODE_TO_RUN_ON} or newer and can't install it for ${platform}: this is ${process.version}; ` +
        `install Node ${OLDEST_NODE_TO_RUN_ON} and try again.`,
    );
  }
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  const stamp = stampOf(folder, platform);
  return {
    node,
    isDone: () => stamp.isCurrent() && existsSync(node),
    run: async ({ output, lock }) => {
      stamp.remove();
      await installPackages({ folder, node: process.execPath, title: `Installing Node ${version}`, output, lock });
      // npm does not fail or report anything when an optional package can't be fetched.
      if (!existsSync(node)) throw new InstallError(unreachable(`Node ${version}`));
      const { status, error, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
      if (status !== 0) {
        const reason = error?.code ?? stderr.trim().split('\n')[0];
        throw new InstallError(
          `Node ${version} from the registry doesn't run on this machine (${reason}): install Node ${OLDEST_NODE_TO_RUN_ON} manually.`,
        );
      }
      stamp.write();
    },
  };
}

/** The root packages, installed by the Node that will load them. */
function packagesStep(node) {
  const bin = join(checkout, 'node_modules', '.bin');
  const link = join(bin, 'node');
  const target = node.startsWith(checkout + sep) ? relative(bin, node) : undefined;
  const stamp = stampOf(
    checkout,
    `${process.platform}-${process.arch} ${target ?? `node ${majorVersion(process.version)}`}`,
  );
  return {
    isDone: () => stamp.isCurrent() && (target === undefined || existsSync(link)),
    run: async ({ output, lock }) => {
      stamp.remove();
      await installPackages({ folder: checkout, node, title: 'Installing packages', output, lock });
      // `npm run` puts node_modules/.bin first on the PATH: through this link, its scripts find the newer Node.
      rmSync(link, { force: true });
      if (target !== undefined) {
        mkdirSync(bin, { recursive: true });
        symlinkSync(target, link);
      }
      stamp.write();
    },
  };
}

/**
 * A file in `node_modules` that records what was installed: missing after an interrupted install, and outdated when the
 * lock file or the machine has changed or npm has changed the tree (it then rewrites its own record).
 */
function stampOf(folder, machine) {
  const path = join(folder, 'node_modules', '.tilth-installed');
  const content = () => {
    const hash = createHash('sha256').update(machine);
    for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
      hash.update(readFileSync(join(folder, file)));
    return hash.digest('hex');
  };
  return {
    isCurrent: () =>
      existsSync(path) &&
      existsSync(join(folder, 'node_modules/.package-lock.json')) &&
      readFileSync(path, 'utf8') === content(),
    write: () => writeFileSync(path, content()),
    remove: () => rmSync(path, { force: true }),
  };
}

function majorVersion(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1]);
}
