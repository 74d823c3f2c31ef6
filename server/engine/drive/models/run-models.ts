import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { AppError } from '../../../kernel/errors.ts';
import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import {
  InvalidReplyError,
  ModelCallError,
  modelSentences,
  UnrepairedReplyError,
  type CallProblem,
  type Models,
} from '../../../models/index.ts';
import type { ModelQuestion, ModelReply } from '../../../operators/index.ts';
import { RunFailure, type Run, type Runs } from '../../../runs/index.ts';
import type { Db } from '../../../storage/database/database.ts';
import type { ModelUse } from '../pools/model-calls.ts';
import type { ModelStep } from '../../orders/steps.ts';

/** Problems of the model itself: the next sample would fail for the same reason. */
const lasting: ReadonlySet<CallProblem> = new Set([
  'unauthorized',
  'not-found',
  'rate-limited',
  'quota',
  'server-error',
  'timeout',
  'unreachable',
  'forbidden',
]);

/** After this many consecutive failures of the model itself, the run ends; it can be resumed without loss. */
const mostFailuresInRow = 20;

/** The chain of runs that a run continues, and the run itself: they share one budget. */
export async function chainOf(
  runs: Pick<Runs, 'findRun'>,
  db: Db,
  run: Pick<Run, 'id' | 'area' | 'taskId' | 'resumedFrom'>,
): Promise<string[]> {
  const ids = [run.id];
  let before = run.resumedFrom;
  while (before !== null) {
    ids.unshift(before);
    before = (await runs.findRun(db, run.area, run.taskId, before))?.resumedFrom ?? null;
  }
  return ids;
}

/**
 * Model access for the steps of a run: within the budget of each step, until the model fails too many times in a row.
 */
export function createRunModels(
  models: Pick<Models, 'chat' | 'registry'>,
  runId: string,
  chain: readonly string[],
): ModelUse & { describe(): Reason[] } {
  const own = [...chain, runId];
  let failedInRow = 0;
  /** Replies that this run used, by step. */
  const used = new Map<number, { stored: number; unusable: number }>();

  function countReply(step: number, { isStored, isUnusable }: { isStored: boolean; isUnusable: boolean }): void {
    const counts = used.get(step) ?? { stored: 0, unusable: 0 };
    if (isStored) counts.stored += 1;
    if (isUnusable) counts.unusable += 1;
    used.set(step, counts);
  }

  function countFailure(error: unknown): void {
    const isLasting = error instanceof AppError || (error instanceof ModelCallError && lasting.has(error.problem));
    if (!isLasting) return;
    failedInRow += 1;
    if (failedInRow < mostFailuresInRow) return;
    throw new RunFailure(runSentences.MODEL_FAILS_ON.reason({ times: failedInRow, why: reasonOf(error) }));
  }

  return {
    async ask(step, question, signal) {
      const { budget = {} } = question;
      // A resumed run continues with the rest of the budget.
      const id = `${chain[0] ?? runId}:${step}`;
      const name = modelSentences.BUDGET_OF_STEP.reason({ step: step + 1 });
      try {
        const asker = { runId, budget: { id, name, caps: budget }, keepRefusedOf: own, signal };
        const reply = await askModel(models, question, asker, ({ known, text }) =>
          countReply(step, { isStored: known, isUnusable: text.trim() === '' }),
        );
        failedInRow = 0;
        return reply;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InvalidReplyError || error instanceof UnrepairedReplyError)
          countReply(step, { isStored: error.known, isUnusable: true });
        countFailure(error);
        throw error;
      }
    },
    describe: () =>
      [...used]
        .toSorted(([one], [other]) => one - other)
        .flatMap(([step, { stored, unusable }]) => [
          ...(stored === 0 ? [] : [runSentences.REPLIES_STORED.reason({ step: step + 1, count: stored })]),
          ...(unusable === 0 ? [] : [runSentences.REPLIES_UNUSABLE.reason({ step: step + 1, count: unusable })]),
        ]),
  };
}

/** Asks one question. Throws what `Models.chat` throws. */
export async function askModel(
  models: Pick<Models, 'chat' | 'registry'>,
  { model: reference, messages, temperature, maxTokens, schema }: ModelQuestion,
  asker: Parameters<Models['chat']>[2],
  onReply: (reply: Awaited<ReturnType<Models['chat']>>) => void = () => {},
): Promise<ModelReply> {
  const parameters = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
  const model = await idOf(models.registry, reference);
  const reply = await models.chat(model, { messages, parameters, schema }, asker);
  onReply(reply);
  return { text: reply.text, value: reply.value, isCut: reply.finishReason === 'length' };
}

/** Resolves a model by id, or by its name if only one chat model has it, as published code refers to it. */
async function idOf(registry: Models['registry'], reference: string): Promise<string> {
  try {
    return (await registry.get(reference)).id;
  } catch (error) {
    const named = (await registry.list({ kind: 'CHAT' })).filter(({ name }) => name === reference);
    const [only, ...others] = named;
    if (only === undefined || others.length > 0) throw error;
    return only.id;
  }
}

/** Model usage of a run's steps and of the runs that it continues: one line per model. */
export async function describeUse(
  models: Pick<Models, 'registry' | 'usageOfRuns'>,
  steps: readonly ModelStep[],
  chain: readonly string[],
): Promise<Reason[]> {
  const lines: Reason[] = [];
  for (const reference of new Set(steps.flatMap((step) => step.models))) {
    const { id, name, prices } = await idOf(models.registry, reference)
      .then((known) => models.registry.get(known))
      .catch((error: unknown) => {
        if (error instanceof AppError) return { id: reference, name: reference, prices: null };
        throw error;
      });
    const used = await models.usageOfRuns([id], chain);
    const figures = { model: name, calls: used.calls, input: used.inputTokens, output: used.outputTokens };
    lines.push(
      prices === null
        ? runSentences.MODEL_USED.reason(figures)
        : runSentences.MODEL_USED_FOR.reason({ ...figures, cost: used.cost }),
    );
  }
  return lines;
}
