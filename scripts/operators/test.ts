// `npm run operator:test -- FOLDER`: the examples and cases of an operator in every lane of the sandbox that works here.
import { join, resolve } from 'node:path';
import { examine, PackageRefused, readPackage } from '../../server/operator-packages/index.ts';
import { checkLane, createSandbox, sandboxLimits, type LaneName } from '../../server/sandbox/index.ts';
import { casesPath, FolderProblem, isFile, readFolder, readJson } from './package-folder.ts';

const [given] = process.argv.slice(2);
if (given === undefined) {
  process.stderr.write('Usage: npm run operator:test -- FOLDER\n');
  process.exit(1);
}

/** Texts to measure with: the inputs of the examples, often enough that a batch is worth while. */
function textsOf(inputs: readonly string[]): string[] {
  return Array.from({ length: 64 }, (_, at) => inputs[at % inputs.length] ?? '');
}

try {
  const folder = resolve(given);
  const files = await readFolder(folder);
  const { manifest } = readPackage(files);
  const cases = isFile(join(folder, casesPath)) ? (readJson(join(folder, casesPath)) as typeof manifest.examples) : [];
  const tested = new Map(files).set(
    'operator.json',
    Buffer.from(JSON.stringify({ ...manifest, examples: [...manifest.examples, ...cases] })),
  );
  const checked = checkLane();
  const lanes: LaneName[] = checked.lane === 'FAST' ? ['SAFE', 'FAST'] : ['SAFE'];
  if (checked.lane === 'SAFE') process.stdout.write(`The fast lane is left out: ${checked.why}\n`);
  for (const lane of lanes) {
    const sandbox = createSandbox({ lane, limits: sandboxLimits });
    const examined = examine(readPackage(tested), sandbox, textsOf(manifest.examples.map(({ input }) => input)));
    sandbox.close();
    if (examined.kind === 'refused') throw new FolderProblem(`${lane}: ${examined.reason}`);
    const { samplesPerSecond, deterministic } = examined.metrics;
    const count = manifest.examples.length + cases.length;
    process.stdout.write(
      `${lane}: ${count} examples and cases pass; ${samplesPerSecond} samples/s; ${deterministic ? '' : 'NOT '}deterministic\n`,
    );
  }
} catch (error) {
  if (!(error instanceof FolderProblem || error instanceof PackageRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
