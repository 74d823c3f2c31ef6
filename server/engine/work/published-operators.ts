import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  findUndeclared,
  packageProblems,
  readPackage,
  toOperator,
  unpackFiles,
  type PackageCode,
} from '../../operator-packages/index.ts';
import { budgetOf, sampleParts, type BatchOperator, type BatchRunner, type Operator } from '../../operators/index.ts';
import { outcomeOf, partsOf, withReplies, type CodeQuestions } from './published-questions.ts';
import { createSandbox, type Sandbox, type SandboxAnswer, type SandboxedCode } from '../../sandbox/index.ts';
import type { Step } from '../orders/steps.ts';
import { SetupError } from '../orders/setup-error.ts';
import { packagePath } from '../orders/package-places.ts';
import type { SandboxSetup } from '../orders/worker-protocol.ts';

/** Samples per call; the sandbox splits them into its own batches and keeps several in flight. */
const samplesPerBatch = 1024;

/** Fewer for operators that call models, as each sample waits for its replies. */
const askingPerBatch = 256;

/** The published operators of this worker, which run in its sandbox. */
export type PublishedOperators = {
  /**
   * The published operators that the steps need. The sandbox stays open as long as its setup is the same. Throws
   * SetupError for a package that doesn't match its digest.
   */
  of(steps: readonly Step[], setup: SandboxSetup | undefined): readonly Operator[];
};

/** `progressed` is called during a call, so that a slow operator is not mistaken for a hung one. */
export function createPublishedOperators(progressed: () => void): PublishedOperators {
  const known = new Map<string, BatchOperator>();
  let setup: SandboxSetup | undefined;
  let opened: Sandbox | undefined;

  function use(wanted: SandboxSetup | undefined): void {
    if (isDeepStrictEqual(setup, wanted)) return;
    opened?.close();
    opened = undefined;
    known.clear();
    setup = wanted;
  }

  function sandbox(): Sandbox {
    if (setup === undefined) throw new SetupError(packageProblems.NO_SANDBOX.reason({}));
    return (opened ??= createSandbox(setup));
  }

  function load({ operatorId, version }: Step, digest: string): BatchOperator {
    if (setup === undefined) throw new SetupError(packageProblems.NO_SANDBOX.reason({}));
    const files = unpackFiles(readFileSync(packagePath(setup.packagesDirectory, digest)), digest);
    if (files === undefined)
      throw new SetupError(packageProblems.PACKAGE_DIFFERS.reason({ operator: operatorId, version }));
    const { manifest, code } = readPackage(files);
    const { each: _each, ...metadata } = toOperator(manifest, digest);
    return {
      ...metadata,
      needs: metadata.models === undefined ? [] : ['models'],
      samplesPerBatch: metadata.models === undefined ? samplesPerBatch : askingPerBatch,
      batch: (params, effects) => {
        const { reads, writes } = metadata;
        const opening = { code, params, reads, writes, progressed };
        const { models } = metadata;
        return models === undefined
          ? runnerOf(sandbox(), opening)
          : runnerOf(sandbox(), opening, { models, ask: effects.models.ask, budget: budgetOf(caps(params)) });
      },
    };
  }

  return {
    of(steps, wanted) {
      // Steps without published operators leave an open sandbox open.
      if (steps.every(({ digest }) => digest === undefined)) return [];
      use(wanted);
      return steps.flatMap((step) => {
        const { digest } = step;
        if (digest === undefined) return [];
        const operator = known.get(digest) ?? load(step, digest);
        known.set(digest, operator);
        return [operator];
      });
    },
  };
}

function runnerOf(
  sandbox: Sandbox,
  {
    code,
    params,
    reads,
    writes,
    progressed,
  }: {
    code: PackageCode;
    params: Readonly<Record<string, unknown>>;
    reads: BatchOperator['reads'];
    writes: BatchOperator['writes'];
    progressed: () => void;
  },
  asking?: CodeQuestions,
): BatchRunner {
  const isTextAlone = reads.length === 1 && reads[0] === 'text';
  /** The chain checks parts only for steps that process more than texts; text-only steps are checked here. */
  const isOfTexts = [...reads, ...writes].every((part) => part === 'text');
  let opened: SandboxedCode | Error | undefined;

  /** Fails a sample whose answer sets an undeclared part, which would otherwise be lost. */
  function checked(answer: SandboxAnswer, given: unknown): SandboxAnswer {
    const part = isOfTexts ? findUndeclared(answer, given, { reads, writes, names: sampleParts }) : undefined;
    if (part === undefined) return answer;
    const { text: reason, sentence } = packageProblems.PART_NOT_DECLARED.reason({ part: part.slice(0, 60) });
    return { kind: 'failed', reason, ...(sentence === null ? {} : { sentence }) };
  }

  /** Code that fails to start is not retried. */
  function open(): SandboxedCode {
    try {
      opened ??= sandbox.open(code, params);
    } catch (error) {
      opened = error instanceof Error ? error : new Error(String(error));
    }
    if (opened instanceof Error) throw opened;
    return opened;
  }

  return {
    async run(samples, signal) {
      const running = open();
      if (asking !== undefined) {
        const pass = (given: readonly object[]): SandboxAnswer[] =>
          running.run(given, progressed).map((answer, at) => checked(answer, given[at]));
        return withReplies(samples, reads, { ...asking, pass, signal });
      }
      const given = samples.map((sample) => (isTextAlone ? sample.text : partsOf(sample, reads)));
      return running
        .run(given, progressed)
        .map((answer, at) => outcomeOf(checked(answer, given[at]), samples[at] ?? {}));
    },
    async close() {
      if (opened !== undefined && !(opened instanceof Error)) opened.close();
    },
  };
}

function caps(params: Readonly<Record<string, unknown>>): Parameters<typeof budgetOf>[0] {
  return {
    maxCalls: Number(params['maxCalls']),
    maxTokens: Number(params['maxTokens']),
    maxCost: Number(params['maxCost']),
  };
}
