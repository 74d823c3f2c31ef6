import { givenTextsPath, SetupError, type Engine, type Step, type OpenReference } from '../../engine/index.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { codedReason, rewritten, type Reason } from '../../kernel/sentences/index.ts';
import { modelProblems } from '../../models/index.ts';
import { asksModels, parseParams, type Operator } from '../../operators/index.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { getRunnable } from './catalogue.ts';
import { marketErrors } from './errors.ts';
import type { Trial, TrialRequest } from './schemas/trials.ts';

export type Trials = {
  /** Runs texts through one operator; writes nothing. Throws OPERATOR_NOT_FOUND, INVALID_PARAMETER, TRIAL_FAILED. */
  try(id: string, request: TrialRequest): Promise<Trial>;
};

/** Resolves and opens the datasets that a step compares with; implemented by the area of cleaning. */
export type TrialReferences = { resolve(steps: readonly Step[]): Promise<Step[]>; open: OpenReference };

/** Each sample is a model call that may cost money. */
const mostAskedSamples = 20;

export function createTrials({
  db,
  engine,
  operators,
  references,
}: {
  db: Database;
  engine: Pick<Engine, 'previewTexts'>;
  references: TrialReferences;
  operators: readonly Operator[];
}): Trials {
  return {
    async try(id, { version, params: given, samples }) {
      const operator = await getRunnable({ db, operators }, id, version);
      const steps = await namingParams(references.resolve([stepOf(operator, given)]));
      const asks = asksModels(operator);
      if (asks && samples.length > mostAskedSamples)
        throw invalid('samples', modelProblems.FEW_SAMPLES.reason({ limit: mostAskedSamples }));
      const mayBeRows = operator.reads.includes('columns');
      const started = performance.now();
      const traces = await refuseFailures(
        engine.previewTexts({
          steps,
          reference: references.open,
          texts: samples.map(({ text }) => text),
          mayBeRows,
        }),
      );
      return {
        results: traces.samples.map(({ verdict, texts, steps, reason }, index) => {
          const unchanged = { text: samples[index]?.text ?? '', truncated: false };
          const rows = verdict === 'KEPT' ? [unchanged] : (steps[0]?.after ?? []);
          const after = mayBeRows ? rows : texts;
          return {
            verdict: verdict === 'SKIPPED' ? 'FAILED' : verdict,
            texts: after.map(({ text }) => text),
            truncated: after.some(({ truncated }) => truncated),
            score: steps[0]?.score ?? null,
            ...codedReason('reason', reason === null ? null : namingTexts(reason)),
          };
        }),
        asked: asks ? traces.asked : null,
        compared: traces.compared.map(({ step: _step, ...dataset }) => dataset),
        tookMs: Math.round((performance.now() - started) * 10) / 10,
      };
    },
  };
}

/** Names a sample as the trial does, which has only texts. */
function namingTexts(reason: Reason): Reason {
  return rewritten(reason, (words) => words.replaceAll(`${givenTextsPath}, row `, 'text '));
}

const ofStep = 'steps[0].';

/** Shortens field names in errors to those of the parameters, since a trial has a single step. */
async function namingParams<T>(checked: Promise<T>): Promise<T> {
  try {
    return await checked;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { field = '', values } = error;
    const { problem } = values;
    throw field.startsWith(ofStep) && typeof problem === 'object'
      ? invalid(field.slice(ofStep.length), problem)
      : error;
  }
}

/** Makes a step from an operator and parameters. Throws INVALID_PARAMETER. */
export function stepOf(operator: Operator, given: unknown): Step {
  const parsed = parseParams(operator, given);
  if (!parsed.ok) throw invalid(parsed.field === '' ? 'params' : `params.${parsed.field}`, parsed.problem);
  const { id, version, digest } = operator;
  return { operatorId: id, version, params: parsed.params, ...(digest === undefined ? {} : { digest }) };
}

export async function refuseFailures<T>(trial: Promise<T>): Promise<T> {
  try {
    return await trial;
  } catch (error) {
    const isKnown = error instanceof SetupError || error instanceof RunFailure;
    throw isKnown ? marketErrors.TRIAL_FAILED({ cause: error.reason }) : error;
  }
}
