import {
  isSetOperator,
  referencesOf,
  type GivenSample,
  type Operator,
  type SamplePart,
} from '../../../operators/index.ts';
import { getOperator } from '../samples/chain.ts';
import type { Step } from '../../orders/steps.ts';
import { partsOf } from '../../orders/sample-parts.ts';
import { EnoughSamples, openSampleWalk, readOffered } from '../samples/sample-walk.ts';
import type { WorkerResources } from '../samples/shard-work.ts';
import { createSignatureCollector } from '../sets/signatures.ts';
import type { ReferringStep, ReferJob, ReferResult } from '../../orders/reference-jobs.ts';
import { createKeyCollector, type ReferenceSamplePlace } from '../samples/reference-keys.ts';

/** Maximum number of unreadable samples listed per shard. */
const namedUnread = 3;

/** Records each sample by the step's operator; unreadable samples are counted, and the first ones listed. */
export function referShard(job: ReferJob, resources: WorkerResources): ReferResult {
  const [step] = job.recipe.steps;
  if (step === undefined) throw new RangeError('There is no step that compares');
  const operator = getOperator(resources.operators, step);
  const { take, bytes } = recorderOf(operator, step.params, job.dataset);
  const parts = partsOf([operator]);
  const examples: ReferResult['examples'] = [];
  let unread = 0;
  let skipped = 0;
  const walk = openSampleWalk(job, resources, {
    parts,
    skipFile() {
      skipped += 1;
    },
    sample({ ordinal, piece, row, path }, offered, lost) {
      if (ordinal >= job.limit) throw new EnoughSamples();
      const found = readOffered(offered, lost);
      if ('problem' in found) {
        unread += 1;
        if (examples.length < namedUnread) examples.push({ path, row, problem: found.problem });
        return;
      }
      resources.progress.step(0);
      const text = 'texts' in found ? found.texts.map((one) => one.text).join('\n') : found.text;
      take({ piece, row, line: offered.line ?? null }, ordinal, sampleOf(text, parts));
    },
  });
  const { isCut } = walk.all();
  const { samples, passed, lineEnds: lines } = walk.counts;
  const signatures = bytes(job.pieces.map(({ path }) => path));
  return { samples, rows: samples + passed, unread, skipped, examples, lines, isCut, signatures };
}

/** A sample of the other dataset has only a text. */
function sampleOf(text: string, parts: ReadonlySet<SamplePart>): GivenSample {
  if ([...parts].some((part) => part !== 'text')) throw new TypeError('Only texts can be compared with other datasets');
  return { text };
}

type Recorder = {
  take(place: ReferenceSamplePlace, ordinal: number, sample: GivenSample): void;
  bytes(paths: readonly string[]): Uint8Array<ArrayBuffer>;
};

function recorderOf(operator: Operator, params: Readonly<Record<string, unknown>>, dataset: string): Recorder {
  if (isSetOperator(operator)) {
    const collector = createSignatureCollector(operator.all(params));
    return {
      // Files of another dataset are in no folder of the task's source.
      take: ({ piece, row }, ordinal, sample) => collector.take({ ordinal, piece, row, path: '' }, sample),
      // The reason of a drop names the place by its path.
      bytes: (paths) => collector.bytes(paths.map((path) => `${dataset}: ${path}`)),
    };
  }
  const refer = 'refer' in operator ? operator.refer?.(params) : undefined;
  if (refer === undefined) throw new TypeError(`${operator.id} compares with no other datasets`);
  const collector = createKeyCollector(refer);
  return {
    take: (place, _ordinal, sample) => collector.take(place, sample),
    bytes: (paths) => collector.bytes(paths),
  };
}

/** The steps that name other datasets; throws SetupError if an operator is not installed. */
export function listReferringSteps(steps: readonly Step[], operators: readonly Operator[]): ReferringStep[] {
  return steps.flatMap((pinned, step) => {
    const references = referencesOf(getOperator(operators, pinned).params, pinned.params);
    return references.length === 0 ? [] : [{ step, references }];
  });
}
