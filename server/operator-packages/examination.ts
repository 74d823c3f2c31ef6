import { reasonOf } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { parseParams } from '../operators/index.ts';
import {
  CodeRefused,
  type LaneName,
  type Sandbox,
  type SandboxAnswer,
  type SandboxedCode,
  type SandboxLimits,
} from '../sandbox/index.ts';
import type { OperatorManifest } from './manifest.ts';
import type { PackageFiles } from './package-files.ts';
import type { OperatorPackage } from './operator-package.ts';
import { readQuestion } from './questions.ts';
import { outcomeOfText } from './outcome-texts.ts';
import { toOperator } from './published-operator.ts';
import { findScoreProblem } from './score-check.ts';
import { packageProblems } from './sentences.ts';
import { findUndeclared } from './undeclared-parts.ts';

/** The input of an examination thread. */
export type ExaminationJob = {
  readonly files: PackageFiles;
  readonly lane: LaneName;
  readonly limits: SandboxLimits;
  readonly texts: readonly string[];
};

/** Measurements of the market itself. */
export type PackageMetrics = {
  readonly samplesPerSecond: number;
  readonly peakMemoryBytes: number;
  /** Whether two runs gave the same results, the second in another order. */
  readonly deterministic: boolean;
  readonly lane: LaneName;
};

/** The first reason to refuse a package, or its measurements. */
export type Examination =
  | { readonly kind: 'refused'; readonly reason: Reason }
  | { readonly kind: 'passed'; readonly metrics: PackageMetrics };

const measuredMs = 300;
/** Code that takes longer than this for one run over the texts is not measured further. */
const slowMs = 2000;

/**
 * Runs the examples of a package in the sandbox, then measures it with `texts`. Blocks until the sandbox answers: not
 * for the event loop.
 */
export function examine(found: OperatorPackage, sandbox: Sandbox, texts: readonly string[]): Examination {
  const problem = checkExamples(found, sandbox);
  if (problem !== undefined) return { kind: 'refused', reason: problem };
  try {
    return measure(found, sandbox, texts);
  } catch (error) {
    if (error instanceof CodeRefused) return { kind: 'refused', reason: error.reason };
    throw error;
  }
}

/** Runs the examples of a package in the sandbox; returns the first reason to refuse it. Blocks like `examine`. */
export function checkExamples(found: OperatorPackage, sandbox: Sandbox): Reason | undefined {
  try {
    return findExampleProblem(found, sandbox);
  } catch (error) {
    if (error instanceof CodeRefused) return error.reason;
    throw error;
  }
}

function findExampleProblem({ manifest, code }: OperatorPackage, sandbox: Sandbox): Reason | undefined {
  for (const { title, params, input, output, replies } of manifest.examples) {
    const parsed = paramsOf(manifest, params);
    const opened = sandbox.open(code, parsed);
    const answer = answerIn(opened, manifest, input, replies);
    opened.close();
    const outcome = outcomeOfText(answer ?? { kind: 'same' }, input);
    const expected =
      typeof output === 'object' && 'drop' in output
        ? JSON.stringify({ drop: output.drop })
        : JSON.stringify(typeof output === 'string' ? [output] : output);
    const got = outcome.kind === 'texts' ? JSON.stringify(outcome.texts) : JSON.stringify({ drop: outcome.reason });
    const undeclared = answer === undefined ? undefined : findUndeclaredPart(manifest, input, answer);
    if (undeclared !== undefined) return undeclared;
    if (outcome.kind === 'failed') return packageProblems.EXAMPLE_FAILED.reason({ title, reason: outcome.reason });
    if (got !== expected)
      return packageProblems.EXAMPLE_DIFFERS.reason({ title, got: shown(got), expected: shown(expected) });
    const problem = answer === undefined ? undefined : findScoreProblem(manifest, parsed, input, answer);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function measure({ manifest, code }: OperatorPackage, sandbox: Sandbox, texts: readonly string[]): Examination {
  const params = measuredParams(manifest);
  const samples = texts.map((text) => sampleOf(manifest, text));
  const opened = sandbox.open(code, params, { isStrict: true });
  const firstStarted = performance.now();
  const first = opened.run(samples);
  let seconds = (performance.now() - firstStarted) / 1000;
  for (const [at, answer] of first.entries()) {
    const text = texts[at] ?? '';
    const problem = findUndeclaredPart(manifest, text, answer) ?? findScoreProblem(manifest, params, text, answer);
    if (problem !== undefined) return { kind: 'refused', reason: problem };
  }
  let processed = samples.length;
  if (seconds < slowMs / 1000) {
    processed = 0;
    const started = performance.now();
    do {
      opened.run(samples);
      processed += samples.length;
    } while (performance.now() - started < measuredMs);
    seconds = (performance.now() - started) / 1000;
  }
  const again = sandbox.open(code, params, { isStrict: true });
  const second = again.run(samples.toReversed()).toReversed();
  again.close();
  opened.close();
  return {
    kind: 'passed',
    metrics: {
      samplesPerSecond: Math.round(processed / seconds),
      peakMemoryBytes: opened.peakBytes,
      deterministic: isEqual(first, second),
      lane: sandbox.lane,
    },
  };
}

/** The problem of an answer with a part or other name that is not declared and would be lost. */
function findUndeclaredPart(manifest: OperatorManifest, text: string, answer: SandboxAnswer): Reason | undefined {
  const part = findUndeclared(answer, sampleOf(manifest, text), toOperator(manifest));
  return part === undefined ? undefined : packageProblems.PART_NOT_DECLARED.reason({ part: part.slice(0, 60) });
}

function isEqual(one: readonly SandboxAnswer[], other: readonly SandboxAnswer[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The defaults; if a parameter has none, the parameters of the first example. */
function measuredParams(manifest: OperatorManifest): Readonly<Record<string, unknown>> {
  const parsed = parseParams(toOperator(manifest), {});
  return parsed.ok ? parsed.params : paramsOf(manifest, manifest.examples[0]?.params ?? {});
}

/** Parameters of an example, with defaults; they were checked when the package was read. */
function paramsOf(manifest: OperatorManifest, given: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseParams(toOperator(manifest), given);
  if (!parsed.ok) throw new RangeError(`${parsed.field} ${parsed.problem.text}`);
  return parsed.params;
}

/** The code's answer to an example; its questions to models get the replies that the example gives. */
function answerIn(
  opened: SandboxedCode,
  manifest: OperatorManifest,
  input: string,
  known: readonly string[] = [],
): SandboxAnswer | undefined {
  for (let count = 0; ; count += 1) {
    const [answer] = opened.run([sampleOf(manifest, input, known.slice(0, count))]);
    const question = answer?.kind === 'outcome' ? readQuestion(answer.outcome, manifest.models) : undefined;
    if (question === undefined) return answer;
    if (question instanceof Error) return failedBy(reasonOf(question));
    if (count === known.length) return failedBy(packageProblems.NO_REPLY_IN_EXAMPLE.reason({}));
  }
}

function failedBy({ text, sentence }: Reason): SandboxAnswer {
  return { kind: 'failed', reason: text, ...(sentence === null ? {} : { sentence }) };
}

/** A sample that only has a text, with the parts that the operator reads. */
function sampleOf(
  { reads = ['text'], models }: OperatorManifest,
  text: string,
  replies: readonly string[] = [],
): unknown {
  if (models === undefined && reads.length === 1 && reads[0] === 'text') return text;
  const parts = { text, fields: {}, columns: {}, messages: [], scores: {} };
  const given = Object.fromEntries(reads.map((part) => [part, parts[part]]));
  return models === undefined ? given : { ...given, replies };
}

function shown(json: string): string {
  return json.length > 300 ? `${json.slice(0, 300)}…` : json;
}
