import type { Reason } from '../../../kernel/sentences/index.ts';
import type { ChatMessage } from '../../../models/index.ts';
import type { Output } from '../checks.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import { judgeMessages } from '../judging.ts';
import { fillIn, renderPrompt, unwritten, type PromptSample } from '../prompts.ts';
import { knownNames, orderColumns } from './column-definitions.ts';
import { parseExpression, type Expression } from './expressions.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The columns of a template in evaluation order, with what they need from earlier values. */
export type ColumnPlan = {
  columns: readonly RecordColumn[];
  /** The parsed expressions of EXPRESSION columns, by column name. */
  expressions: ReadonlyMap<string, Expression>;
  /** The messages of a MODEL or JUDGE column; `open` columns are not written yet. */
  messagesOf(
    column: RecordColumn,
    values: Values,
    sample: PromptSample,
    open?: ReadonlySet<string>,
  ): { messages: ChatMessage[] } | { problem: Reason };
  /** The rubric of a JUDGE with its variables filled in. */
  rubricOf(column: RecordColumn, values: Values, sample: PromptSample): { text: string } | { problem: Reason };
  /** The values that an expression may use. */
  scopeOf(values: Values, sample: PromptSample): Values;
};

export function planColumns(
  given: readonly RecordColumn[],
  variables: Readonly<Record<string, string>>,
  language: 'en' | 'zh' | null,
): ColumnPlan {
  const names = Object.keys(variables);
  const columns = orderColumns(given, names);
  const known = knownNames(columns, names);
  const expressions = new Map(
    columns.flatMap(({ name, expression }) =>
      expression === undefined ? [] : [[name, parseExpression(expression, known)] as const],
    ),
  );
  const trusted = new Set<string>();
  for (const { name, kind, sampler } of columns) {
    const used = expressions.get(name)?.names ?? [];
    const isOwn = (one: string): boolean => trusted.has(one) || names.includes(one);
    if ((kind === 'SAMPLER' && sampler !== 'ROW') || (kind === 'EXPRESSION' && used.every(isOwn))) trusted.add(name);
  }

  function rubricOf({ rubric = '' }: RecordColumn, values: Values, sample: PromptSample, open?: ReadonlySet<string>) {
    return fillIn(rubric, sample, variables, { values, trusted, open });
  }

  return {
    columns,
    expressions,
    rubricOf,
    messagesOf(column, values, sample, open) {
      if (column.kind === 'MODEL') {
        const { prompt = '', systemPrompt = null } = column;
        return renderPrompt({ prompt, systemPrompt, language }, sample, variables, { values, trusted, open });
      }
      const rubric = rubricOf(column, values, sample, open);
      return 'problem' in rubric
        ? rubric
        : { messages: judgeMessages(rubric.text, judgedOf(column, values, open), sample) };
    },
    scopeOf: (values, { text, row, filePath }) => ({ ...variables, ...values, text, row, file: { path: filePath } }),
  };
}

/** The values that a JUDGE grades. */
export function judgedOf({ of = [] }: RecordColumn, values: Values, open?: ReadonlySet<string>): Output {
  return Object.fromEntries(of.map((name) => [name, open?.has(name) === true ? unwritten : (values[name] ?? null)]));
}
