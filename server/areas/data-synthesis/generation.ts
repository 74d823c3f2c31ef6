import {
  BudgetExhaustedError,
  InvalidReplyError,
  ModelCallError,
  type Asker,
  type CallProblem,
  type Models,
} from '../../models/index.ts';
import { checkRecord, tellingSentences, type Output } from './checks.ts';
import { renderPrompt, type PromptSample } from './prompts.ts';
import { synthesisReasons as reasons } from './sentences.ts';
import type { Checks } from './generation-schemas.ts';
import type { InstructionDefinition } from './template-schemas.ts';

/** What makes records of samples. */
export type SynthesisRecipe = {
  template: InstructionDefinition;
  variables: Readonly<Record<string, string>>;
  /** Id of the model. */
  model: string;
  checks: Checks;
};

/** What the calls for a record used. */
export type RecordUsage = { inputTokens: number; outputTokens: number; cost: number | null; known: boolean };

export type RecordDraft = {
  verdict: 'KEPT' | 'DROPPED' | 'FAILED';
  reason: string | null;
  output: Output | null;
  usage: RecordUsage;
  /** Whether the model was asked. */
  isCalled: boolean;
  /** What kept the model from answering. */
  problem?: CallProblem;
};

export const noUsage: RecordUsage = { inputTokens: 0, outputTokens: 0, cost: 0, known: false };

/** Checks of a template with those of a task over them. */
export function mergeChecks(
  { type, checks }: Pick<InstructionDefinition, 'type' | 'checks'>,
  own: Checks = {},
): Checks {
  const preset: Checks = type === 'CLASSIFICATION' ? {} : { similarToRecords: 0.9 };
  return { ...preset, ...checks, ...own };
}

/** Makes records, one call each. */
export type Generator = {
  /** The record of a sample before it is compared with others. Throws BudgetExhaustedError, and the signal's reason after an abort. */
  generate(sample: PromptSample, sequence: number, asker: Asker): Promise<RecordDraft>;
};

export function createGenerator(models: Pick<Models, 'chat'>, recipe: SynthesisRecipe): Generator {
  const { template, variables, model, checks } = recipe;
  const telling = tellingSentences(template);
  return {
    async generate(sample, sequence, asker) {
      const prompt = renderPrompt(template, sample, variables);
      if ('problem' in prompt) return failed(prompt.problem);
      try {
        const reply = await models.chat(
          model,
          {
            messages: prompt.messages,
            parameters: template.parameters,
            ...(template.outputSchema === null ? {} : { schema: template.outputSchema }),
            sequence,
          },
          asker,
        );
        const output = storable((template.outputSchema === null ? { text: reply.text } : reply.value) as Output);
        const reason = checkRecord(output, sample, { checks, telling });
        return {
          verdict: reason === undefined ? 'KEPT' : 'DROPPED',
          reason: reason ?? null,
          output,
          usage: usageOf(reply),
          isCalled: true,
        };
      } catch (error) {
        asker.signal?.throwIfAborted();
        if (error instanceof InvalidReplyError) {
          const reason = reasons.SYNTHESIS_SCHEMA({ why: storable(error.problem).slice(0, 500) });
          return { verdict: 'DROPPED', reason, output: null, usage: usageOf(error), isCalled: true };
        }
        if (!(error instanceof ModelCallError)) throw error;
        const reason = reasons.SYNTHESIS_CALL_FAILED({ why: storable(error.message).slice(0, 500) });
        return { ...failed(reason), isCalled: true, problem: error.problem };
      }
    },
  };
}

export function isBudgetExhausted(error: unknown): error is BudgetExhaustedError {
  return error instanceof BudgetExhaustedError;
}

function failed(reason: string): RecordDraft {
  return { verdict: 'FAILED', reason, output: null, usage: noUsage, isCalled: false };
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

/** Without characters that a database refuses. */
function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed() as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => storable<unknown>(one)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storable<unknown>(one)])) as T;
}
