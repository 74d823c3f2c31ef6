import { withSentences } from '../../documents/index.ts';
import { maxPictureSide, maxPreviewText, SetupError, type Engine } from '../../engine/index.ts';
import { errors, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { modelProblems } from '../../models/index.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { cleaningErrors } from './errors.ts';
import type { Preview, PreviewRequest } from './schemas/previews.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { currentOf, inputsOf, nameSources } from './sources.ts';
import type { StepOperators } from './step-operators.ts';
import { withCodedReason } from './reason-codes.ts';
import type { StepReferences } from './references.ts';
import { anyAsksModels } from './step-models.ts';
import { chooseSteps, parseSteps } from './steps.ts';
import { namedEncoding, parseInput, selectionOf, textFieldsOf } from './task-input.ts';
import type { CleaningTemplates } from './templates.ts';
import { checkTextIsKept } from './columns-of-documents.ts';
import { checkSplitters, checkTextColumns, needNoText } from './text-columns.ts';

/** Tries out steps on the first or on random samples of a dataset. */
export type Previews = {
  /**
   * Writes nothing. Steps that call models run only with `mayAsk`. Throws FORBIDDEN, INVALID_PARAMETER,
   * SOURCE_NOT_FOUND, SOURCE_VERSION_NOT_FOUND, PREVIEW_REFUSED, PREVIEW_FAILED.
   */
  preview(request: PreviewRequest, mayAsk: boolean): Promise<Preview>;
};

/** Larger previews need random samples, since the beginning of a dataset is often not representative. */
const maxFirstSamples = 100;

/** Lower limit for steps that call models: each call may cost money. */
const maxAskedSamples = 20;

/** Text of all samples together, in UTF-16 units; with more samples, less of each is shown. */
const maxAnswerText = 4 << 20;

/** Pixels of all thumbnails together, about 3 MB in WebP; with more samples, they are smaller. */
const maxAnswerPixels = 16_000_000;
const leastSide = 96;

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
  templates: Pick<CleaningTemplates, 'get'>;
  references: StepReferences;
}): Previews {
  return {
    async preview(request, mayAsk) {
      const { limit = 10 } = request;
      // The first samples of several sources would all come from one of them.
      const sample = request.sample ?? ((request.moreSources ?? []).length === 0 ? undefined : { seed: 0 });
      if (request.sample === undefined && limit > maxFirstSamples) {
        throw invalid('limit', parameterProblems.MUST_BE_AT_MOST_WITHOUT_SAMPLE.reason({ limit: maxFirstSamples }));
      }
      const chosen = await chooseSteps(templates, request);
      const operators = await catalogue.operatorsFor(chosen);
      const steps = parseSteps(operators, chosen);
      const asks = anyAsksModels(operators, steps);
      if (asks && !mayAsk) throw errors.FORBIDDEN({ needed: askingNeeds });
      if (asks && limit > maxAskedSamples)
        throw invalid('limit', modelProblems.FEW_SAMPLES.reason({ limit: maxAskedSamples }));
      const input = parseInput(request.input ?? {});
      checkSplitters(operators, steps, input);
      checkTextIsKept(operators, steps, input);
      const named = await references.resolve(steps);
      const sources = currentOf(await nameSources((id) => datasets.find(db.read, id), request, input));
      const mayLackText = needNoText(operators, steps);
      await checkTextColumns({ db: db.scan, datasets, engine }, { sources, input, mayLackText });
      const {
        samples,
        steps: counts,
        uncheckedFiles,
        compared,
        asked,
        drawn,
      } = await refusePreview(
        engine.preview({
          inputs: inputsOf(datasets, db.scan, sources, selectionOf(input)),
          steps: named,
          reference: references.open,
          onError: 'SET_ASIDE',
          ...textFieldsOf(input),
          ...(mayLackText ? { mayLackText } : {}),
          encoding: namedEncoding(input),
          limit,
          ...(sample === undefined ? {} : { sample }),
          maxTextLength: shownLength(limit, steps.length),
          pictureSide: shownSide(limit, steps.length),
        }),
      );
      return {
        sourceVersion: sources[0]?.version ?? 0,
        samples: samples.map((sample) => ({
          ...withCodedReason(sample),
          receipt: withSentences(sample.receipt),
          steps: sample.steps.map(withCodedReason),
        })),
        steps: counts,
        compared,
        asked: asks ? asked : null,
        drawn: sample === undefined || drawn === undefined ? null : { seed: sample.seed, ...drawn },
        uncheckedFiles,
      };
    },
  };
}

/** Converts errors of a preview to PREVIEW_REFUSED or PREVIEW_FAILED with the cause. */
export async function refusePreview<T>(preview: Promise<T>): Promise<T> {
  try {
    return await preview;
  } catch (error) {
    if (error instanceof SetupError) throw cleaningErrors.PREVIEW_REFUSED({ cause: error.reason });
    if (error instanceof RunFailure) throw cleaningErrors.PREVIEW_FAILED({ cause: error.reason });
    throw error;
  }
}

const askingNeeds = 'the role EDITOR, as steps that ask models may cost money';

/** Text length per view: a sample is shown before and after each step, and once more at the end. */
function shownLength(samples: number, steps: number): number {
  return Math.min(maxPreviewText, Math.floor(maxAnswerText / (samples * (2 * steps + 1))));
}

/** Thumbnail side: a picture is shown before the first step and after each step. */
function shownSide(samples: number, steps: number): number {
  const side = Math.floor(Math.sqrt(maxAnswerPixels / (samples * (steps + 1))));
  return Math.min(maxPictureSide, Math.max(leastSide, side));
}
