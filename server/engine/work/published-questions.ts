import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { foreign } from '../../kernel/sentences/index.ts';
import { mostQuestions, packageProblems, readQuestion, replyText } from '../../operator-packages/index.ts';
import type { BatchOperator, GivenSample, ModelBudget, ModelCalls, Outcome } from '../../operators/index.ts';
import type { SandboxAnswer } from '../../sandbox/index.ts';

/** The models that code may call, as approved by an administrator, and the budget of its step. */
export type CodeQuestions = { models: readonly string[]; ask: ModelCalls['ask']; budget: { budget: ModelBudget } };

type Waiting = { at: number; sample: GivenSample; replies: readonly string[] };

/**
 * Passes samples to code that may call models. Samples with questions are passed again with the replies to all of their
 * questions, until none has any more. Questions are checked here, outside the sandbox.
 */
export async function withReplies(
  samples: readonly GivenSample[],
  reads: BatchOperator['reads'],
  {
    models,
    ask,
    budget,
    pass,
    signal,
  }: CodeQuestions & { pass: (given: readonly object[]) => SandboxAnswer[]; signal: AbortSignal },
): Promise<(Outcome | Error)[]> {
  const outcomes: (Outcome | Error)[] = samples.map((sample) => sample);

  async function replyTo({ at, sample, replies }: Waiting, answer: SandboxAnswer | undefined): Promise<Waiting[]> {
    const outcome = outcomeOf(answer ?? { kind: 'same' }, sample);
    const question = readQuestion(outcome, models);
    outcomes[at] = question instanceof Error ? question : outcome;
    if (question === undefined || question instanceof Error) return [];
    try {
      if (replies.length === mostQuestions)
        throw new ReasonedError(packageProblems.QUESTIONS_TOO_MANY.reason({ limit: mostQuestions }));
      const reply = await ask({ ...question, ...budget }, signal);
      if (reply.isCut) throw new ReasonedError(packageProblems.REPLY_CUT_OFF.reason({}));
      return [{ at, sample, replies: [...replies, replyText(reply)] }];
    } catch (error) {
      outcomes[at] = error instanceof Error ? error : new Error(String(error));
      return [];
    }
  }

  let waiting: Waiting[] = samples.map((sample, at) => ({ at, sample, replies: [] }));
  while (waiting.length > 0) {
    const answers = pass(waiting.map(({ sample, replies }) => ({ ...partsOf(sample, reads), replies })));
    waiting = (await Promise.all(waiting.map((one, index) => replyTo(one, answers[index])))).flat();
  }
  return outcomes;
}

/** The parts of a sample that code receives. */
export function partsOf(sample: GivenSample, reads: BatchOperator['reads']): object {
  return Object.fromEntries(reads.map((part) => [part, sample[part]]));
}

/** An error fails only its sample; the chain checks what the code returned. Reasons are the code's own words. */
export function outcomeOf(answer: SandboxAnswer, sample: GivenSample): Outcome | Error {
  if (answer.kind === 'same') return sample;
  if (answer.kind === 'scored') return { verdict: 'keep', sample, score: answer.score };
  if (answer.kind === 'failed') return new ReasonedError({ text: answer.reason, sentence: answer.sentence ?? null });
  const { outcome } = answer;
  const isDrop = typeof outcome === 'object' && outcome !== null && 'verdict' in outcome && outcome.verdict === 'drop';
  return (isDrop ? withOwnWords(outcome) : outcome) as Outcome;
}

/** A drop whose reason is in the code's words; a reason of another type remains, for the chain to refuse. */
function withOwnWords(outcome: object): object {
  const { reason, ...rest } = outcome as { reason?: unknown };
  return { ...rest, reason: typeof reason === 'string' ? foreign(reason) : null };
}
