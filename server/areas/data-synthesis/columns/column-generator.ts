import { reasonOf } from '../../../kernel/reasoned-error.ts';
import type { Mending } from '../../../kernel/near-json.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { Asker, CallProblem, Models } from '../../../models/index.ts';
import { checkRecord, tellingSentences, type Output } from '../checks.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import {
  addUsage,
  ask,
  noUsage,
  storable,
  storableReason,
  type Generator,
  type MadeColumn,
  type RecordDraft,
  type RecordPlace,
  type RecordUsage,
  type SynthesisRecipe,
} from '../generation.ts';
import { judge } from '../judging.ts';
import type { PromptSample } from '../prompts.ts';
import { isShown } from '../record-schema.ts';
import { synthesisReasons as reasons } from '../sentences.ts';
import { judgedOf, planColumns, type Values } from './column-plan.ts';
import { lengthOf, longestValue } from './expressions.ts';
import { createDraw } from './samplers.ts';
import type { SeedRows } from './seed-rows.ts';
import { createValidator } from './validators.ts';

/** The result of one column. Without a verdict the record continues. */
type Outcome = {
  value?: unknown;
  verdict?: 'DROPPED' | 'FAILED';
  reason?: Reason;
  usage?: RecordUsage;
  calls?: number;
  problem?: CallProblem | undefined;
  score?: number;
  judgement?: string;
  mended?: readonly Mending[];
};

type Place = RecordPlace & { sample: PromptSample; asker: Asker };
type MakeColumn = (values: Values, place: Place) => Outcome | Promise<Outcome>;

/**
 * Makes records column by column, ending with the first column that fails or drops the record. The ledger keys each
 * call by its prompt, so after a change to one column only calls whose prompts changed are made again.
 */
export function createColumnGenerator(
  models: Pick<Models, 'chat'>,
  recipe: SynthesisRecipe & { columns: readonly RecordColumn[] },
  rows: SeedRows,
): Generator {
  const { template, variables, model: taskModel, checks: recordChecks } = recipe;
  const plan = planColumns(recipe.columns, variables, template.language);
  const shown = plan.columns.filter(isShown);

  function makerOf(column: RecordColumn): MakeColumn {
    switch (column.kind) {
      case 'SAMPLER': {
        const draw = createDraw(column, rows.get(column.name) ?? []);
        return (_values, place) => ({ value: draw(place) });
      }
      case 'EXPRESSION': {
        const expression = plan.expressions.get(column.name);
        return (values, { sample }) => {
          try {
            return { value: storable(expression?.evaluate(plan.scopeOf(values, sample))) };
          } catch (error) {
            return failure(reasons.SYNTHESIS_EXPRESSION.reason({ why: storableReason(reasonOf(error as Error)) }));
          }
        };
      }
      case 'MODEL':
        return askerOf(column);
      case 'JUDGE':
        return judgeOf(column);
      case 'VALIDATOR': {
        const check = createValidator(column);
        return (values) => {
          const reason = (column.of ?? []).map((name) => check(values[name])).find((one) => one !== undefined);
          return reason === undefined ? {} : { verdict: 'DROPPED', reason };
        };
      }
    }
  }

  function askerOf(column: RecordColumn): MakeColumn {
    const { prompt = '', systemPrompt = null, checks = {} } = column;
    const schema = column.outputSchema ?? null;
    const parameters = { ...template.parameters, ...column.parameters };
    const telling = tellingSentences({ prompt, systemPrompt });
    const model = column.model ?? taskModel;
    return async (values, { sample, sequence, asker }) => {
      const asked = plan.messagesOf(column, values, sample);
      if ('problem' in asked) return failure(asked.problem);
      const question = { model, messages: asked.messages, parameters, schema, checks, telling };
      const { verdict, reason, output, usage, calls, mended, problem } = await ask(models, question, {
        sample,
        sequence,
        asker,
      });
      const value = output === null ? undefined : schema === null ? output['text'] : output;
      const outcome = { value, usage, calls, mended, problem };
      return verdict === 'KEPT' ? outcome : { ...outcome, verdict, ...(reason === null ? {} : { reason }) };
    };
  }

  function judgeOf(column: RecordColumn): MakeColumn {
    const minScore = column.minScore ?? null;
    const model = column.model ?? taskModel;
    return async (values, { sample, sequence, asker }) => {
      const rubric = plan.rubricOf(column, values, sample);
      if ('problem' in rubric) return failure(rubric.problem);
      const by = { rubric: rubric.text, model, sequence };
      const found = await judge(models, by, { output: judgedOf(column, values), source: sample, asker });
      const used = found.usage === undefined ? {} : { usage: found.usage };
      const calls = found.usage?.known === true ? 0 : 1;
      if ('failure' in found) {
        const reason = reasons.SYNTHESIS_JUDGE_FAILED.reason({ why: storableReason(found.failure) });
        return { ...used, calls, verdict: 'FAILED', reason, problem: found.problem };
      }
      const { score, why: judgement } = found;
      const outcome = { ...used, calls, value: { score, reason: judgement }, score, judgement };
      if (minScore === null || score >= minScore) return outcome;
      return { ...outcome, verdict: 'DROPPED', reason: reasons.SYNTHESIS_JUDGED.reason({ score, limit: minScore }) };
    };
  }

  const makers = plan.columns.map((column) => ({ column, make: makerOf(column) }));

  return {
    async generate(sample, place, asker) {
      const values: Record<string, unknown> = {};
      const made: MadeColumn[] = [];
      let usage: RecordUsage | undefined;
      let room = longestValue;
      const mended = new Set<Mending>();
      let [calls, score, judgement]: [number, number | null, string | null] = [0, null, null];
      const draft = (rest: Pick<RecordDraft, 'verdict' | 'reason' | 'column'>): RecordDraft => {
        const isWhole = shown.every(({ name }) => Object.hasOwn(values, name));
        const output = isWhole ? Object.fromEntries(shown.map(({ name }) => [name, values[name]])) : null;
        return {
          ...rest,
          output,
          thinking: null,
          columns: made,
          usage: usage ?? noUsage,
          calls,
          score,
          judgement,
          mended: [...mended],
        };
      };
      for (const { column, make } of makers) {
        let outcome = await make(values, { ...place, sample, asker });
        if (column.kind === 'EXPRESSION' && outcome.verdict === undefined) {
          room -= lengthOf(outcome.value);
          if (room < 0) outcome = failure(reasons.SYNTHESIS_VALUE_TOO_LONG.reason({ limit: longestValue }));
        }
        const { value, verdict, reason = null, problem } = outcome;
        if (value !== undefined) values[column.name] = value;
        if (column.kind !== 'VALIDATOR')
          made.push({ name: column.name, value: value ?? null, usage: outcome.usage ?? null });
        if (outcome.usage !== undefined) usage = usage === undefined ? outcome.usage : addUsage(usage, outcome.usage);
        calls += outcome.calls ?? 0;
        for (const mending of outcome.mended ?? []) mended.add(mending);
        if (outcome.score !== undefined && outcome.score < (score ?? Infinity))
          [score, judgement] = [outcome.score, outcome.judgement ?? null];
        if (verdict === undefined) continue;
        const ended = draft({ verdict, reason, column: column.name });
        return problem === undefined ? ended : { ...ended, problem };
      }
      const kept = draft({ verdict: 'KEPT', reason: null, column: null });
      const checks = { ...recordChecks, refusals: false, leaks: false };
      const reason = checkRecord(kept.output as Output, sample, { checks, telling: [] });
      return reason === undefined ? kept : { ...kept, verdict: 'DROPPED', reason };
    },
  };
}

function failure(reason: Reason): Outcome {
  return { verdict: 'FAILED', reason };
}
