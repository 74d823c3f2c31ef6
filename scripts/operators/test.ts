// `npm run operator:test -- FOLDER`: runs an operator's examples and cases in every sandbox lane available here.
import { join, resolve } from 'node:path';
import {
  checkExamples,
  examine,
  PackageRefused,
  readPackage,
  type OperatorManifest,
  type OperatorPackage,
  type PackageMetrics,
} from '../../server/operator-packages/index.ts';
import {
  checkLane,
  createSandbox,
  examinationLimits,
  sandboxLimits,
  type LaneName,
  type Sandbox,
} from '../../server/sandbox/index.ts';
import { runCommand } from './command.ts';
import { casesPath, FolderProblem, isFile, readFolder, readJson } from './package-folder.ts';

const usage = `Usage: npm run operator:test -- FOLDER

Runs the examples of operator.json and the cases of cases.json, which have the same format, in every sandbox lane that
works on this machine, and measures the operator.
`;

/** Limit of examples in a manifest. */
const examplesAtOnce = 50;

await runCommand({ usage, options: {} }, async (given) => {
  const folder = resolve(given);
  const files = await readFolder(folder);
  const found = readPackage(files);
  const cases = listCases(folder);
  const checked = checkLane();
  const lanes: LaneName[] = checked.lane === 'FAST' ? ['SAFE', 'FAST'] : ['SAFE'];
  if (checked.lane === 'SAFE') process.stdout.write(`Skipping the lane FAST: ${checked.why}\n`);
  for (const lane of lanes) {
    const sandbox = createSandbox({ lane, limits: examinationLimits(sandboxLimits) });
    try {
      const { samplesPerSecond, deterministic } = metricsOf(found, sandbox);
      for (let at = 0; at < cases.length; at += examplesAtOnce) {
        const problem = checkExamples(
          withExamples(files, found.manifest, cases.slice(at, at + examplesAtOnce)),
          sandbox,
        );
        if (problem !== undefined) throw new FolderProblem(`${lane}: ${problem.text}`);
      }
      const count = found.manifest.examples.length + cases.length;
      process.stdout.write(
        `${lane}: ${count} examples and cases pass; ${samplesPerSecond} samples/s; ${deterministic ? '' : 'NOT '}deterministic\n`,
      );
    } finally {
      sandbox.close();
    }
  }
});

function metricsOf(found: OperatorPackage, sandbox: Sandbox): PackageMetrics {
  const inputs = found.manifest.examples.map(({ input }) => input);
  // Repeated, so that a batch is large enough to measure.
  const texts = Array.from({ length: 64 }, (_, at) => inputs[at % inputs.length] ?? '');
  const examined = examine(found, sandbox, texts);
  if (examined.kind === 'refused') throw new FolderProblem(`${sandbox.lane}: ${examined.reason.text}`);
  return examined.metrics;
}

function listCases(folder: string): unknown[] {
  const path = join(folder, casesPath);
  if (!isFile(path)) return [];
  const cases = readJson(path);
  if (!Array.isArray(cases)) throw new FolderProblem(`${casesPath} must be a list of examples`);
  return cases;
}

/** The package with cases instead of its examples. */
function withExamples(
  files: ReadonlyMap<string, Uint8Array>,
  manifest: OperatorManifest,
  examples: readonly unknown[],
): OperatorPackage {
  try {
    return readPackage(new Map(files).set('operator.json', Buffer.from(JSON.stringify({ ...manifest, examples }))));
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    throw new FolderProblem(`${casesPath}: ${error.message.replace(/^operator\.json: /, '')}`);
  }
}
