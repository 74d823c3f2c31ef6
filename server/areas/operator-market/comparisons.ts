import type { Engine, InputFile, PreviewSample } from '../../engine/index.ts';
import { codedReason } from '../../kernel/sentences/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import { getRunnable } from './catalogue.ts';
import { comparisonLimits, type Comparison, type ComparisonRequest } from './schemas/comparisons.ts';
import { refuseFailures, stepOf } from './trials.ts';

export type Comparisons = {
  /**
   * Compares the results of two versions of an operator on samples of a dataset; writes nothing. Throws
   * OPERATOR_NOT_FOUND, OPERATOR_VERSION_NOT_FOUND, INVALID_PARAMETER, SOURCE_NOT_FOUND, TRIAL_FAILED.
   */
  compare(id: string, request: ComparisonRequest): Promise<Comparison>;
};

/** Per text, in UTF-16 units. */
const comparedLength = 200_000;
const shownLength = 2_000;

export function createComparisons({
  db,
  engine,
  datasets,
  operators,
}: {
  db: Database;
  engine: Pick<Engine, 'preview'>;
  datasets: DatasetAccess;
  operators: readonly Operator[];
}): Comparisons {
  return {
    async compare(id, { from, to, params, sourceDatasetId, limit = 50, seed = 0 }) {
      const versions = await Promise.all([from, to].map((version) => getRunnable({ db, operators }, id, version)));
      const source = requireSource(await datasets.find(db.read, sourceDatasetId), sourceDatasetId);
      const outcomes: PreviewSample[][] = [];
      for (const operator of versions) {
        const { samples } = await refuseFailures(
          engine.preview({
            inputs: inputsOf(
              datasets.walkFiles(db.scan, { datasetId: source.id, version: source.version, prefix: '', fileTypes: [] }),
            ),
            steps: [stepOf(operator, params)],
            onError: 'SET_ASIDE',
            textField: null,
            limit,
            sample: { seed },
            maxTextLength: comparedLength,
          }),
        );
        outcomes.push(samples);
      }
      return comparisonOf(outcomes[0] ?? [], outcomes[1] ?? []);
    },
  };
}

/** Both lists hold the same samples in the same order, because they were drawn with the same seed. */
function comparisonOf(before: readonly PreviewSample[], after: readonly PreviewSample[]): Comparison {
  const comparison: Comparison = {
    compared: before.length,
    same: 0,
    unreadable: 0,
    verdictChanged: 0,
    textChanged: 0,
    comparedInPart: 0,
    samples: [],
  };
  for (const [at, one] of before.entries()) {
    const other = after[at];
    if (other === undefined) continue;
    if (isUnread(one) && isUnread(other)) {
      comparison.unreadable += 1;
      continue;
    }
    if ([...one.texts, ...other.texts].some(({ truncated }) => truncated)) comparison.comparedInPart += 1;
    if (one.verdict !== other.verdict) comparison.verdictChanged += 1;
    else if (!isSameTexts(one, other)) comparison.textChanged += 1;
    else {
      comparison.same += 1;
      continue;
    }
    if (comparison.samples.length >= comparisonLimits.listed) continue;
    comparison.samples.push({ filePath: one.filePath, row: one.row, from: outcomeOf(one), to: outcomeOf(other) });
  }
  return comparison;
}

/** Whether no step processed the sample, because its row or file is unreadable. */
function isUnread({ verdict, operatorId, steps }: PreviewSample): boolean {
  return (verdict === 'FAILED' || verdict === 'SKIPPED') && operatorId === null && steps.length === 0;
}

function isSameTexts({ texts: one }: PreviewSample, { texts: other }: PreviewSample): boolean {
  return (
    one.length === other.length &&
    one.every(({ text, length }, at) => text === other[at]?.text && length === other[at].length)
  );
}

function outcomeOf({ verdict, texts, reason }: PreviewSample): Comparison['samples'][number]['from'] {
  return {
    verdict,
    texts: texts.map(({ text }) => text.slice(0, shownLength).toWellFormed()),
    ...codedReason('reason', reason),
  };
}

async function* inputsOf(slices: AsyncIterable<readonly SourceFile[]>): AsyncGenerator<readonly InputFile[]> {
  for await (const files of slices) {
    yield files.map(({ status, ...file }) =>
      status === 'COMPLETED' ? file : { ...file, problem: `The file's status is ${status}` },
    );
  }
}
