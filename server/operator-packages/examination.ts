import { parseParams } from '../operators/index.ts';
import { CodeRefused, type LaneName, type Sandbox, type SandboxAnswer } from '../sandbox/index.ts';
import type { OperatorManifest } from './manifest.ts';
import type { OperatorPackage } from './operator-package.ts';
import { outcomeOfText } from './outcome-texts.ts';
import { toOperator } from './published-operator.ts';
import { packageProblems } from './sentences.ts';

/** What the market measures itself. */
export type PackageMetrics = {
  readonly samplesPerSecond: number;
  readonly peakMemoryBytes: number;
  /** Whether two runs, the second one in another order, gave the same. */
  readonly deterministic: boolean;
  readonly lane: LaneName;
};

/** The first reason why a package can not be accepted, or what was measured. */
export type Examination =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'passed'; readonly metrics: PackageMetrics };

const measuredMs = 300;

/** Runs the examples of a package in the sandbox, then measures it with `texts`. Waits for the sandbox: not for the event loop. */
export function examine(found: OperatorPackage, sandbox: Sandbox, texts: readonly string[]): Examination {
  try {
    const problem = findExampleProblem(found, sandbox);
    if (problem !== undefined) return { kind: 'refused', reason: problem };
    return { kind: 'passed', metrics: measure(found, sandbox, texts) };
  } catch (error) {
    if (error instanceof CodeRefused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

function findExampleProblem({ manifest, code }: OperatorPackage, sandbox: Sandbox): string | undefined {
  for (const { title, params, input, output } of manifest.examples) {
    const [answer] = sandbox.open(code, paramsOf(manifest, params)).run([sampleOf(manifest, input)]);
    const outcome = outcomeOfText(answer ?? { kind: 'same' }, input);
    const expected =
      typeof output === 'object' && 'drop' in output
        ? JSON.stringify({ drop: output.drop })
        : JSON.stringify(typeof output === 'string' ? [output] : output);
    const got = outcome.kind === 'texts' ? JSON.stringify(outcome.texts) : JSON.stringify({ drop: outcome.reason });
    if (outcome.kind === 'failed') return packageProblems.EXAMPLE_FAILED({ title, reason: outcome.reason });
    if (got !== expected) return packageProblems.EXAMPLE_DIFFERS({ title, got: shown(got), expected: shown(expected) });
  }
  return undefined;
}

function measure({ manifest, code }: OperatorPackage, sandbox: Sandbox, texts: readonly string[]): PackageMetrics {
  const params = measuredParams(manifest);
  const samples = texts.map((text) => sampleOf(manifest, text));
  const opened = sandbox.open(code, params);
  const first = opened.run(samples);
  let processed = 0;
  const started = performance.now();
  do {
    opened.run(samples);
    processed += samples.length;
  } while (performance.now() - started < measuredMs);
  const seconds = (performance.now() - started) / 1000;
  const second = sandbox.open(code, params).run(samples.toReversed()).toReversed();
  return {
    samplesPerSecond: Math.round(processed / seconds),
    peakMemoryBytes: opened.peakBytes,
    deterministic: isEqual(first, second),
    lane: sandbox.lane,
  };
}

function isEqual(one: readonly SandboxAnswer[], other: readonly SandboxAnswer[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The defaults, or where a parameter has none, the parameters of the first example. */
function measuredParams(manifest: OperatorManifest): Readonly<Record<string, unknown>> {
  const parsed = parseParams(toOperator(manifest), {});
  return parsed.ok ? parsed.params : paramsOf(manifest, manifest.examples[0]?.params ?? {});
}

/** Parameters of an example with the defaults; they were checked when the package was read. */
function paramsOf(manifest: OperatorManifest, given: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseParams(toOperator(manifest), given);
  if (!parsed.ok) throw new RangeError(`${parsed.field} ${parsed.problem}`);
  return parsed.params;
}

/** A sample of a text alone, with the parts that the operator reads. */
function sampleOf({ reads = ['text'] }: OperatorManifest, text: string): unknown {
  if (reads.length === 1 && reads[0] === 'text') return text;
  const parts = { text, fields: {}, columns: {}, messages: [], scores: {} };
  return Object.fromEntries(reads.map((part) => [part, parts[part]]));
}

function shown(json: string): string {
  return json.length > 300 ? `${json.slice(0, 300)}…` : json;
}
