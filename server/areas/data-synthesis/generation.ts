import { isExactNumber } from '../../kernel/exact-json.ts';
import type { Mending } from '../../kernel/near-json.ts';
import { rewritten, type Reason } from '../../kernel/sentences/index.ts';
import {
  BudgetExhaustedError,
  InvalidReplyError,
  ModelCallError,
  type Asker,
  type CallProblem,
  type ChatMessage,
  type ChatParameters,
  type Models,
} from '../../models/index.ts';
import { checkRecord, tellingSentences, type Output } from './checks.ts';
import { renderPrompt, type PromptSample } from './prompts.ts';
import { synthesisReasons as reasons } from './sentences.ts';
import type { Checks } from './schemas/generations.ts';
import type { OutputSchema } from './output-schema.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

/** All that determines how records are made from samples. */
export type SynthesisRecipe = {
  template: InstructionDefinition;
  variables: Readonly<Record<string, string>>;
  /** Id of the model. */
  model: string;
  checks: Checks;
};

/** Identifies a record to make: its sample, and which of the calls for that sample makes it. */
export type RecordPlace = {
  /** Key of the sample, the same in every run. */
  key: string;
  /** Index of the record among those of its sample. */
  ordinal: number;
  sequence: number;
};

/** What the calls for a record consumed. */
export type RecordUsage = { inputTokens: number; outputTokens: number; cost: number | null; known: boolean };

/** The result of one column of a record; `usage` is null if no model was called. */
export type MadeColumn = { name: string; value: unknown; usage: RecordUsage | null };

export type RecordDraft = {
  verdict: 'KEPT' | 'DROPPED' | 'FAILED';
  reason: Reason | null;
  /** The column at which it was dropped or failed. */
  column: string | null;
  output: Output | null;
  /** Reasoning that the model returned before its answer. */
  thinking: string | null;
  /** Null for a template with one prompt. */
  columns: MadeColumn[] | null;
  usage: RecordUsage;
  /** Calls made, not counting replies from the ledger. */
  calls: number;
  /** The lowest score of the judges, and its reason. */
  score: number | null;
  judgement: string | null;
  /** What was changed in the replies so that they became JSON that fits. */
  mended: readonly Mending[];
  /** Why the model did not answer. */
  problem?: CallProblem;
};

export const noUsage: RecordUsage = { inputTokens: 0, outputTokens: 0, cost: 0, known: false };

/** Merges the checks of a template with those of a task, which take precedence. */
export function mergeChecks(
  { type, checks }: Pick<InstructionDefinition, 'type' | 'checks'>,
  own: Checks = {},
): Checks {
  const preset: Checks = type === 'CLASSIFICATION' ? {} : { similarToRecords: 0.9 };
  return { ...preset, ...checks, ...own };
}

/** Makes records from samples. */
export type Generator = {
  /**
   * Makes the record of a sample, not yet compared with others. Throws BudgetExhaustedError, and the signal's reason
   * after an abort.
   */
  generate(sample: PromptSample, place: RecordPlace, asker: Asker): Promise<RecordDraft>;
};

/** One call for a sample, and the required form of its reply. */
export type Question = {
  model: string;
  messages: ChatMessage[];
  parameters: ChatParameters;
  schema: OutputSchema | null;
  checks: Checks;
  telling: readonly string[];
};

/** Makes records with the single prompt of a template. */
export function createPromptGenerator(models: Pick<Models, 'chat'>, recipe: SynthesisRecipe): Generator {
  const { template, variables, model, checks } = recipe;
  const { parameters, outputSchema: schema } = template;
  const telling = tellingSentences(template);
  return {
    async generate(sample, { sequence }, asker) {
      const prompt = renderPrompt(template, sample, variables);
      if ('problem' in prompt) return failed(prompt.problem);
      const question = { model, messages: prompt.messages, parameters, schema, checks, telling };
      return ask(models, question, { sample, sequence, asker });
    },
  };
}

/** Calls a model and turns its reply into a record, `{text}` without a schema. Throws as a generator does. */
export async function ask(
  models: Pick<Models, 'chat'>,
  { model, messages, parameters, schema, checks, telling }: Question,
  { sample, sequence, asker }: { sample: PromptSample; sequence: number; asker: Asker },
): Promise<RecordDraft> {
  try {
    const request = { messages, parameters, ...(schema === null ? {} : { schema }), sequence };
    const reply = await models.chat(model, request, asker);
    const output = storable((schema === null ? { text: reply.text } : reply.exactValue) as Output);
    const isCutOff = schema === null && reply.text.trim() === '' && reply.thinking !== null;
    const reason = isCutOff
      ? reasons.SYNTHESIS_ONLY_THOUGHTS.reason({})
      : checkRecord(output, sample, { checks, telling });
    const usage = usageOf(reply);
    const calls = reply.known ? 0 : 1;
    return {
      ...nothing,
      verdict: reason === undefined ? 'KEPT' : 'DROPPED',
      reason: reason ?? null,
      output,
      thinking: reply.thinking === null ? null : storable(reply.thinking),
      usage,
      calls,
      mended: reply.mended,
    };
  } catch (error) {
    asker.signal?.throwIfAborted();
    if (error instanceof InvalidReplyError) {
      const reason = reasons.SYNTHESIS_SCHEMA.reason({ why: storableReason(error.problem) });
      return { ...nothing, verdict: 'DROPPED', reason, usage: usageOf(error), calls: error.known ? 0 : 1 };
    }
    if (!(error instanceof ModelCallError)) throw error;
    const reason = reasons.SYNTHESIS_CALL_FAILED.reason({ why: storableReason(error.reason) });
    return { ...failed(reason), calls: 1, problem: error.problem };
  }
}

export function isBudgetExhausted(error: unknown): error is BudgetExhaustedError {
  return error instanceof BudgetExhaustedError;
}

const nothing = {
  column: null,
  output: null,
  thinking: null,
  columns: null,
  score: null,
  judgement: null,
  mended: [],
  usage: noUsage,
  calls: 0,
};

/** A failed record for which no model was called. */
export function failed(reason: Reason): RecordDraft {
  return { ...nothing, verdict: 'FAILED', reason };
}

/** Adds the usage of several calls. */
export function addUsage(one: RecordUsage, other: RecordUsage): RecordUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
    known: one.known && other.known,
  };
}

export function usageOf({
  usage,
  cost,
  known,
}: {
  usage: { input: number; output: number } | undefined;
  cost: number | undefined;
  known: boolean;
}): RecordUsage {
  return {
    inputTokens: usage?.input ?? 0,
    outputTokens: usage?.output ?? 0,
    cost: usage === undefined ? null : (cost ?? null),
    known,
  };
}

/** A reason is a sentence, not a document; neither is a value of it. */
const maxReasonLength = 500;

/** A reason as it is stored: without characters that a database refuses, and short. */
export function storableReason(reason: Reason): Reason {
  return rewritten(reason, (text) => storable(text).slice(0, maxReasonLength));
}

/** Replaces characters that a database refuses. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed() as T;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((one) => storable<unknown>(one)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storable<unknown>(one)])) as T;
}
