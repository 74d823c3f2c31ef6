import { measureOf } from '../../chunking/measure.ts';
import { replyWithCloze, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { SeedRows } from './columns/seed-rows.ts';
import { createExpectedCalls, type ForecastWork } from './expected-calls.ts';
import type { PromptSample } from './prompts.ts';
import { sumRecords } from './queries/records.ts';
import { findWork, listFinishedWorks } from './queries/works.ts';
import type { Forecast } from './schemas/records.ts';

/** A sample of the samples; undefined entries stand for samples without a model call. */
export type MeasuredSamples = {
  /** Number of samples of the work. */
  count: number;
  /** Whether `count` is exact rather than estimated. */
  isExact: boolean;
  measured: readonly (PromptSample | undefined)[];
  rows: SeedRows;
};

/** Estimates what work will need from some of its samples and from earlier work with the same model. */
export type EstimateForecast = (work: ForecastWork, samples: MeasuredSamples) => Promise<Forecast>;

/** How many earlier works with the same model figures are taken from. */
const earlierWorks = 5;

export function createEstimate({ db, models }: { db: Database; models: Pick<Models, 'registry'> }): EstimateForecast {
  const measure = measureOf('TOKENS');

  /** Averages of earlier work with the same model and type of template. */
  async function experienceOf(modelId: string, type: string) {
    let [calls, outputTokens, spentMs, inputTokens, expectedInput] = [0, 0, 0, 0, 0];
    for (const { work_id: workId, spent_ms: ms, template_type } of await listFinishedWorks(
      db.read,
      modelId,
      earlierWorks,
    )) {
      const sums = await sumRecords(db.read, workId);
      if (sums.calls === 0 || template_type !== type || sums.known > 0) continue;
      const forecast = (await findWork(db.read, workId))?.forecast ?? null;
      if (forecast === null) continue;
      calls += sums.calls;
      outputTokens += sums.output_tokens;
      inputTokens += sums.input_tokens;
      expectedInput += (JSON.parse(forecast) as Forecast).promptTokens;
      spentMs += ms;
    }
    if (calls === 0 || inputTokens === 0 || expectedInput === 0) return undefined;
    return { outputTokens: outputTokens / calls, msPerCall: spentMs / calls, inputFactor: inputTokens / expectedInput };
  }

  async function isBuiltIn(reference: string): Promise<boolean> {
    return (await models.registry.get(reference)).provider === 'builtin';
  }

  async function costOfNothing(modelId: string): Promise<number | null> {
    return (await models.registry.get(modelId)).prices === null ? null : 0;
  }

  return async (asked, { count, isExact, measured, rows }) => {
    const { template, perSample } = asked;
    const callsOf = createExpectedCalls(asked, rows);
    const perModel = new Map<string, { calls: number; prompt: number; input: number; output: number }>();
    let usable = 0;
    for (const [index, sample] of measured.entries()) {
      const expected = sample === undefined ? undefined : callsOf(sample, index);
      if (expected === undefined) continue;
      usable += 1;
      for (const { model, texts, plus, reply, messages, schema } of expected) {
        const sums = perModel.get(model) ?? { calls: 0, prompt: 0, input: 0, output: 0 };
        const prompt = texts.reduce((sum, text) => sum + measure(text), plus);
        const used = (await isBuiltIn(model))
          ? (replyWithCloze(messages, { schema: schema ?? undefined, sequence: 0 })?.usage ?? { input: 0, output: 0 })
          : { input: prompt, output: reply };
        sums.calls += 1;
        sums.prompt += prompt;
        sums.input += used.input;
        sums.output += used.output;
        perModel.set(model, sums);
      }
    }
    const records = count * perSample;
    const asking = measured.length === 0 ? 0 : Math.round((records * usable) / measured.length);
    const known = await experienceOf(asked.model, template.type);
    let [calls, promptTokens, inputTokens, outputTokens] = [0, 0, 0, 0];
    let cost: number | null = 0;
    for (const [reference, sums] of perModel) {
      const { prices, provider } = await models.registry.get(reference);
      const share = asking / usable;
      const own = { calls: Math.round(share * sums.calls), input: share * sums.input };
      // Usage of the built-in model is computed, not learned.
      const learned = provider === 'builtin' ? undefined : known;
      const output = learned === undefined ? share * sums.output : own.calls * learned.outputTokens;
      const input = own.input * (learned?.inputFactor ?? 1);
      calls += own.calls;
      promptTokens += share * sums.prompt;
      inputTokens += input;
      outputTokens += output;
      cost = prices === null || cost === null ? null : cost + (input * prices.input + output * prices.output) / 1e6;
    }
    return {
      samples: count,
      records,
      calls,
      promptTokens: Math.round(promptTokens),
      inputTokens: Math.round(inputTokens),
      outputTokens: Math.round(outputTokens),
      cost: perModel.size === 0 ? await costOfNothing(asked.model) : cost,
      seconds: known === undefined ? null : Math.round((calls * known.msPerCall) / 1000),
      isExact,
      basis: known === undefined ? 'PRESET' : 'EXPERIENCE',
    };
  };
}
