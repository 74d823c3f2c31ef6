import { maxPreviewText, SetupError, type Engine, type InputFile } from '../../engine/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { cleaningErrors } from './errors.ts';
import type { Preview, PreviewRequest } from './preview-schemas.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import { inputOf } from './source-files.ts';
import type { StepOperators } from './step-operators.ts';
import { withReasonCode, withSentences } from './reason-codes.ts';
import type { StepReferences } from './references.ts';
import { chooseSteps, parseSteps } from './steps.ts';
import { namedEncoding, parseInput, selectionOf, textFieldsOf } from './task-input.ts';
import type { Templates } from './templates.ts';
import { checkSplitters, checkTextColumns, needNoText } from './text-columns.ts';

/** Tries steps on the first samples of a dataset, or on random ones. */
export type Previews = {
  /** Writes nothing. Throws INVALID_PARAMETER, SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND, PREVIEW_REFUSED, PREVIEW_FAILED. */
  preview(request: PreviewRequest): Promise<Preview>;
};

/** More samples are a matter of chance: a dataset often begins unlike the rest of it. */
const maxFirstSamples = 100;

/** Text of all samples together, in UTF-16 units: the more samples, the less is shown of each. */
const maxAnswerText = 4 << 20;

export function createPreviews({
  db,
  datasets,
  engine,
  catalogue,
  templates,
  references,
}: {
  db: Database;
  datasets: DatasetAccess;
  engine: Pick<Engine, 'preview' | 'findTextField' | 'findMissingField'>;
  catalogue: StepOperators;
  templates: Pick<Templates, 'get'>;
  references: StepReferences;
}): Previews {
  return {
    async preview(request) {
      const { sourceDatasetId: id, sourceVersion, limit = 10, sample } = request;
      if (sample === undefined && limit > maxFirstSamples) {
        throw invalid('limit', `must be at most ${maxFirstSamples} without sample`);
      }
      const chosen = await chooseSteps(templates, request);
      const operators = await catalogue.operatorsFor(chosen);
      const steps = parseSteps(operators, chosen);
      const input = parseInput(request.input ?? {});
      checkSplitters(operators, steps, input);
      const named = await references.resolve(steps);
      const source = await datasets.find(db.read, id);
      if (source === undefined) throw cleaningErrors.SOURCE_NOT_FOUND({ id });
      const version = sourceVersion ?? source.version;
      const mayLackText = needNoText(operators, steps);
      if (version > source.version) throw cleaningErrors.SOURCE_VERSION_NOT_FOUND({ id, version });
      await checkTextColumns({ db: db.scan, datasets, engine }, { datasetId: id, version, input, mayLackText });
      try {
        const {
          samples,
          steps: counts,
          uncheckedFiles,
          compared,
          drawn,
        } = await engine.preview({
          inputs: inputsOf(datasets.walkFiles(db.scan, { datasetId: id, version, ...selectionOf(input) })),
          steps: named,
          reference: references.open,
          onError: 'SET_ASIDE',
          ...textFieldsOf(input),
          ...(mayLackText ? { mayLackText } : {}),
          encoding: namedEncoding(input),
          limit,
          ...(sample === undefined ? {} : { sample }),
          maxTextLength: shownLength(limit, steps.length),
        });
        return {
          sourceVersion: version,
          samples: samples.map((sample) => ({
            ...withReasonCode(sample),
            receipt: withSentences(sample.receipt),
            steps: sample.steps.map(withReasonCode),
          })),
          steps: counts,
          compared,
          drawn: sample === undefined || drawn === undefined ? null : { seed: sample.seed, ...drawn },
          uncheckedFiles,
        };
      } catch (error) {
        if (error instanceof SetupError) throw cleaningErrors.PREVIEW_REFUSED({ cause: error.message });
        if (error instanceof RunFailure) throw cleaningErrors.PREVIEW_FAILED({ cause: error.message });
        throw error;
      }
    },
  };
}

/** A sample is shown before and after each step, and once more at the end. */
function shownLength(samples: number, steps: number): number {
  return Math.min(maxPreviewText, Math.floor(maxAnswerText / (samples * (2 * steps + 1))));
}

async function* inputsOf(slices: AsyncIterable<readonly SourceFile[]>): AsyncGenerator<readonly InputFile[]> {
  for await (const files of slices) yield files.map(inputOf);
}
