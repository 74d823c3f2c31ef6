import { reasonOf } from '../../../kernel/reasoned-error.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { ColumnView } from '../schemas/columns.ts';
import type { MadeColumn, RecordPlace } from '../generation.ts';
import type { PromptSample } from '../prompts.ts';
import type { InstructionDefinition } from '../schemas/templates.ts';
import { planColumns } from './column-plan.ts';
import { createDraw } from './samplers.ts';
import type { SeedRows } from './seed-rows.ts';

type Columned = { template: InstructionDefinition; variables: Readonly<Record<string, string>> };

/** Returns a function that shows a record's columns with the prompts sent; null for a template with one prompt. */
export function createColumnViews({ template, variables }: Columned) {
  const { columns, language } = template;
  if (columns === undefined) return () => null;
  const plan = planColumns(columns, variables, language);
  return (made: readonly MadeColumn[], sample: PromptSample): ColumnView[] => {
    const values = Object.fromEntries(made.map(({ name, value }) => [name, value]));
    return made.flatMap(({ name, value, usage }) => {
      const column = plan.columns.find((one) => one.name === name);
      if (column === undefined) return [];
      const asked =
        column.kind === 'MODEL' || column.kind === 'JUDGE' ? plan.messagesOf(column, values, sample) : undefined;
      const messages = asked !== undefined && 'messages' in asked ? asked.messages : [];
      return [{ name, kind: column.kind, value, messages, usage }];
    });
  };
}

/** Shows the prompts of a record without calling models: samplers are drawn, and model outputs appear as `…`. */
export function createColumnOutlines({ template, variables }: Columned, rows: SeedRows) {
  const { columns = [], language } = template;
  const plan = planColumns(columns, variables, language);
  const draws = new Map(
    columns
      .filter(({ kind }) => kind === 'SAMPLER')
      .map((column) => [column.name, createDraw(column, rows.get(column.name) ?? [])]),
  );
  return (
    sample: PromptSample,
    place: Pick<RecordPlace, 'key' | 'ordinal'>,
  ): { columns: ColumnView[]; problem: Reason | null } => {
    const values: Record<string, unknown> = {};
    const open = new Set<string>();
    const views: ColumnView[] = [];
    let problem: Reason | null = null;
    for (const column of plan.columns) {
      const { name, kind } = column;
      if (kind === 'VALIDATOR') continue;
      const shown = { name, kind, value: null as unknown, messages: [] as ColumnView['messages'], usage: null };
      const expression = plan.expressions.get(name);
      if (kind === 'SAMPLER') shown.value = draws.get(name)?.(place) ?? null;
      else if (expression !== undefined && !expression.names.some((one) => open.has(one))) {
        try {
          shown.value = expression.evaluate(plan.scopeOf(values, sample));
        } catch (error) {
          problem ??= reasonOf(error as Error);
        }
      } else {
        open.add(name);
        if (kind !== 'EXPRESSION') {
          const asked = plan.messagesOf(column, values, sample, open);
          if ('messages' in asked) shown.messages = asked.messages;
          else problem ??= asked.problem;
        }
      }
      if (!open.has(name)) values[name] = shown.value;
      views.push(shown);
    }
    return { columns: views, problem };
  };
}
