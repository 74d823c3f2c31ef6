import type { Asker, CallProblem, Models } from '../../models/index.ts';
import { textOfRecord } from './checks.ts';
import type { SynthesisDetails } from './definition.ts';
import { createGenerator, type RecordDraft, type RecordUsage } from './generation.ts';
import { judge } from './judging.ts';
import type { NearDuplicates } from './near-duplicates.ts';
import type { PromptSample } from './prompts.ts';
import { synthesisReasons as reasons } from './sentences.ts';

/** A record with its verdict, and what all of its calls used. */
export type MadeRecord = RecordDraft & { score: number | null; judgement: string | null; calls: number };

/** Makes records in three steps, of which the second has to come in the order of the records. */
export type RecordMaker = {
  /** Calls the model, and checks what it says. Throws BudgetExhaustedError. */
  generate(sample: PromptSample, sequence: number, asker: Asker): Promise<MadeRecord>;
  /** Compares it with the records before it. */
  compare(record: MadeRecord): MadeRecord;
  /** Has it graded, if the task has a judge. Throws BudgetExhaustedError. */
  grade(record: MadeRecord, sample: PromptSample, asker: Asker): Promise<MadeRecord>;
};

export function createRecordMaker(
  models: Pick<Models, 'chat'>,
  details: SynthesisDetails,
  earlier: NearDuplicates | undefined,
): RecordMaker {
  const { template, variables, model, checks, judge: judging } = details;
  const generator = createGenerator(models, { template, variables, model, checks });
  return {
    async generate(sample, sequence, asker) {
      const draft = await generator.generate(sample, sequence, asker);
      return { ...draft, score: null, judgement: null, calls: draft.isCalled ? 1 : 0 };
    },

    compare(record) {
      const limit = checks.similarToRecords ?? null;
      if (record.verdict !== 'KEPT' || record.output === null || earlier === undefined || limit === null) return record;
      const similarity = earlier.compare(textOfRecord(record.output));
      if (similarity <= limit) return record;
      const figures = { similarity: similarity.toFixed(2), limit: limit.toFixed(2) };
      return { ...record, verdict: 'DROPPED', reason: reasons.SYNTHESIS_LIKE_RECORD(figures) };
    },

    async grade(record, sample, asker) {
      const { output } = record;
      if (record.verdict !== 'KEPT' || output === null || judging === null) return record;
      const by = { rubric: judging.rubric, model: judging.model ?? model };
      const found = await judge(models, by, { output, source: sample, asker });
      const calls = record.calls + 1;
      const usage = found.usage === undefined ? record.usage : addUp(record.usage, found.usage);
      if ('failure' in found) {
        const reason = reasons.SYNTHESIS_JUDGE_FAILED({ why: found.failure.slice(0, 500) });
        const failed = { ...record, verdict: 'FAILED' as const, reason, usage, calls };
        return found.problem === undefined ? failed : { ...failed, problem: found.problem };
      }
      const { score, why: judgement } = found;
      const graded = { ...record, usage, calls, score, judgement };
      if (score >= judging.minScore) return graded;
      return { ...graded, verdict: 'DROPPED', reason: reasons.SYNTHESIS_JUDGED({ score, limit: judging.minScore }) };
    },
  };
}

/** Problems that every further call would have as well. */
const lasting: readonly CallProblem[] = ['unauthorized', 'not-found', 'quota', 'forbidden'];

export function isLasting(problem: CallProblem | undefined): boolean {
  return problem !== undefined && lasting.includes(problem);
}

function addUp(one: RecordUsage, other: RecordUsage): RecordUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
    known: one.known && other.known,
  };
}
