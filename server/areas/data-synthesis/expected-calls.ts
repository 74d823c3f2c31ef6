import type { ChatMessage } from '../../models/index.ts';
import { sourceTextOf } from './checks.ts';
import { createColumnOutlines } from './columns/column-views.ts';
import type { SeedRows } from './columns/seed-rows.ts';
import type { SynthesisDetails } from './definition.ts';
import type { OutputSchema } from './output-schema.ts';
import { renderPrompt, type PromptSample } from './prompts.ts';

/** The work that a forecast is made for. */
export type ForecastWork = Pick<SynthesisDetails, 'template' | 'variables' | 'model' | 'perSample' | 'judge'>;

/** Assumed tokens per reply by type of template, when there is no experience. */
const presetTokens = {
  QA_PAIRS: 120,
  INSTRUCTION: 250,
  COT: 350,
  DIALOGUE: 500,
  AUGMENTATION: 400,
  CLASSIFICATION: 40,
  PREFERENCE: 400,
  CUSTOM: 200,
};
const judgeTokens = 60;

/** One expected call for a sample: its texts, further tokens of its prompt, and the expected tokens of its reply. */
export type ExpectedCall = {
  model: string;
  texts: string[];
  plus: number;
  reply: number;
  messages: readonly ChatMessage[];
  schema: OutputSchema | null;
};

/**
 * Returns a function that lists the expected calls for a sample, with what is known of their prompts before the run;
 * undefined if there will be none.
 */
export function createExpectedCalls(
  { template, variables, model, judge }: ForecastWork,
  rows: SeedRows,
): (sample: PromptSample, number: number) => ExpectedCall[] | undefined {
  const { columns, outputSchema } = template;
  const judged = (sample: PromptSample): ExpectedCall[] =>
    judge === null
      ? []
      : [
          {
            model: judge.model ?? model,
            texts: [sourceTextOf(sample), judge.rubric],
            // The record to grade.
            plus: presetTokens[template.type],
            reply: judgeTokens,
            messages: [],
            schema: null,
          },
        ];
  if (columns === undefined)
    return (sample) => {
      const prompt = renderPrompt(template, sample, variables);
      if ('problem' in prompt) return undefined;
      const texts = [...prompt.messages.map(({ content }) => content), ...schemaTexts(outputSchema)];
      const reply = presetTokens[template.type];
      return [{ model, texts, plus: 0, reply, messages: prompt.messages, schema: outputSchema }, ...judged(sample)];
    };
  const outlineOf = createColumnOutlines({ template, variables }, rows);
  const byName = new Map(columns.map((column) => [column.name, column]));
  return (sample, number) => {
    const outline = outlineOf(sample, { key: String(number), ordinal: 0 });
    if (outline.problem !== null) return undefined;
    const asked = outline.columns.flatMap(({ name, kind, messages }): ExpectedCall[] => {
      const { outputSchema: schema = null, model: own = null } = byName.get(name) ?? {};
      if (kind !== 'MODEL' && kind !== 'JUDGE') return [];
      const texts = [...messages.map(({ content }) => content), ...schemaTexts(schema)];
      const reply = kind === 'JUDGE' ? judgeTokens : presetTokens.CUSTOM;
      return [{ model: own ?? model, texts, plus: 0, reply, messages, schema }];
    });
    return [...asked, ...judged(sample)];
  };
}

function schemaTexts(schema: OutputSchema | null): string[] {
  return schema === null ? [] : [JSON.stringify(schema)];
}
