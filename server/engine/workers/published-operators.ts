import { readFileSync } from 'node:fs';
import {
  packageProblems,
  readPackage,
  toOperator,
  unpackFiles,
  type PackageCode,
} from '../../operator-packages/index.ts';
import type { BatchOperator, BatchRunner, GivenSample, Operator, Outcome } from '../../operators/index.ts';
import { createSandbox, type Sandbox, type SandboxAnswer, type SandboxedCode } from '../../sandbox/index.ts';
import type { Step } from '../samples/chain.ts';
import { SetupError } from '../setup-error.ts';
import { packagePath } from './package-places.ts';
import type { SandboxSetup } from './worker-protocol.ts';

/** Samples per call: enough that passing them on costs little, and few enough that a slow operator shows progress. */
const samplesPerBatch = 128;
/** Text of a batch, in UTF-16 units: memory of the sandbox is small. */
const batchText = 1 << 20;

/** The published operators of this worker, which run in its sandbox. */
export type PublishedOperators = {
  /** Those that the steps need. Throws SetupError for a package that is not that of its digest. */
  of(steps: readonly Step[]): readonly Operator[];
};

export function createPublishedOperators(setup: SandboxSetup | undefined): PublishedOperators {
  const known = new Map<string, BatchOperator>();
  let opened: Sandbox | undefined;

  function sandbox(): Sandbox {
    if (setup === undefined) throw new SetupError(packageProblems.NO_SANDBOX({}));
    return (opened ??= createSandbox(setup));
  }

  function load({ operatorId, version }: Step, digest: string): BatchOperator {
    if (setup === undefined) throw new SetupError(packageProblems.NO_SANDBOX({}));
    const files = unpackFiles(readFileSync(packagePath(setup.packagesDirectory, digest)), digest);
    if (files === undefined) throw new SetupError(packageProblems.PACKAGE_DIFFERS({ operator: operatorId, version }));
    const { manifest, code } = readPackage(files);
    const { each: _each, ...metadata } = toOperator(manifest, digest);
    return {
      ...metadata,
      needs: [],
      samplesPerBatch,
      batch: (params) => runnerOf(sandbox(), code, params, metadata.reads),
    };
  }

  return {
    of: (steps) =>
      steps.flatMap((step) => {
        const { digest } = step;
        if (digest === undefined) return [];
        const operator = known.get(digest) ?? load(step, digest);
        known.set(digest, operator);
        return [operator];
      }),
  };
}

function runnerOf(
  sandbox: Sandbox,
  code: PackageCode,
  params: Readonly<Record<string, unknown>>,
  reads: BatchOperator['reads'],
): BatchRunner {
  const isTextAlone = reads.length === 1 && reads[0] === 'text';
  let opened: SandboxedCode | Error | undefined;

  /** Code that can not be started is tried once. */
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
    async run(samples) {
      const running = open();
      return slicesOf(samples).flatMap((slice) =>
        running
          .run(slice.map((sample) => (isTextAlone ? sample.text : partsOf(sample, reads))))
          .map((answer, at) => outcomeOf(answer, slice[at] ?? {})),
      );
    },
  };
}

function partsOf(sample: GivenSample, reads: BatchOperator['reads']): object {
  return Object.fromEntries(reads.map((part) => [part, sample[part]]));
}

/** An error fails its sample alone; what the code answered is checked by the chain. */
function outcomeOf(answer: SandboxAnswer, sample: GivenSample): Outcome | Error {
  if (answer.kind === 'same') return sample;
  if (answer.kind === 'scored') return { verdict: 'keep', sample, score: answer.score };
  return answer.kind === 'failed' ? new Error(answer.reason) : (answer.outcome as Outcome);
}

function slicesOf(samples: readonly GivenSample[]): GivenSample[][] {
  const slices: GivenSample[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const sample of samples) {
    const own = sample.text?.length ?? 0;
    if (length + own > batchText) {
      slices.push([]);
      length = 0;
    }
    slices.at(-1)?.push(sample);
    length += own;
  }
  return slices;
}
