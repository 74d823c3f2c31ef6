import { measureOf } from '../../chunking/measure.ts';
import { replyWithCloze, type ChatMessage, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import { sourceTextOf } from './checks.ts';
import { renderPrompt, type PromptSample } from './prompts.ts';
import { sumRecords } from './queries/records.ts';
import { findWork, listFinishedWorks, listSamples } from './queries/works.ts';
import type { Forecast, RunUsage } from './schemas/records.ts';
import type { SourceSamples } from './source-samples.ts';
import type { OutputSchema } from './output-schema.ts';
import { createColumnOutlines } from './columns/column-views.ts';
import { readLatestSeedRows, readSeedRows, type SeedRows } from './columns/seed-rows.ts';
import { contentOf } from './record-rows.ts';
import { valuesOf } from './template-definition.ts';

/** What a run will need, and what it needed. */
export type Forecasts = {
  /** Before a run, from the first samples of the source. */
  ofTask(definition: SynthesisDefinition): Promise<Forecast>;
  /** Once all samples are stored. */
  ofWork(details: SynthesisDetails, samples: number): Promise<Forecast>;
  /** What a run and those that it resumes used so far, beside what was expected. */
  usageOf(details: SynthesisDetails, runIds: readonly string[]): Promise<RunUsage>;
};

/** Reading for a forecast ends here; the rest is estimated by size. */
const readSamples = 2000;
const readMs = 5000;
/** Prompts whose tokens are counted. */
const measuredPrompts = 200;
const measuredPlaces = 10;
/** Earlier work with the same model that figures are taken from. */
const earlierWorks = 5;

/** Tokens of a reply without experience, by the type of the template. */
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

type Asked = Pick<SynthesisDetails, 'template' | 'variables' | 'model' | 'perSample' | 'judge'>;

export function createForecasts({
  db,
  datasets,
  models,
  samples,
}: {
  db: Database;
  datasets: Pick<DatasetAccess, 'find' | 'countFiles'>;
  models: Pick<Models, 'registry' | 'usageOfRuns'>;
  samples: SourceSamples;
}): Forecasts {
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

  async function estimate(
    asked: Asked,
    {
      count,
      isExact,
      measured,
      rows,
    }: { count: number; isExact: boolean; measured: readonly (PromptSample | undefined)[]; rows: SeedRows },
  ): Promise<Forecast> {
    const { template, perSample } = asked;
    const questionsOf = createQuestions(asked, rows);
    const perModel = new Map<string, { calls: number; prompt: number; input: number; output: number }>();
    let usable = 0;
    for (const [index, sample] of measured.entries()) {
      const questions = sample === undefined ? undefined : questionsOf(sample, index);
      if (questions === undefined) continue;
      usable += 1;
      for (const { model, texts, plus, reply, messages, schema } of questions) {
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
      // What the built-in model uses is computed, not expected.
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
  }

  async function isBuiltIn(reference: string): Promise<boolean> {
    return (await models.registry.get(reference)).provider === 'builtin';
  }

  async function costOfNothing(modelId: string): Promise<number | null> {
    return (await models.registry.get(modelId)).prices === null ? null : 0;
  }

  return {
    async ofTask(definition) {
      const { sourceDatasetId: id, input, chunking, template, maxSamples } = definition;
      const source = requireSource(await datasets.find(db.read, id), id, definition.sourceVersion);
      const version = definition.sourceVersion ?? source.version;
      const measured: (PromptSample | undefined)[] = [];
      let until: number | undefined;
      let [count, endedBytes, seenBytes, isExact] = [0, 0, 0, true];
      for await (const item of samples.read({ datasetId: id, version, input, chunking })) {
        if ('endedBytes' in item) endedBytes += item.endedBytes;
        if (!('sample' in item)) continue;
        const { sample } = item;
        // What reads documents has started by now.
        until ??= performance.now() + readMs;
        count += 1;
        seenBytes += Buffer.byteLength(sourceTextOf(sample));
        if (measured.length < measuredPrompts) measured.push(sample.problem === null ? sample : undefined);
        if (count === maxSamples) break;
        if (count >= readSamples || performance.now() > until) {
          isExact = false;
          break;
        }
      }
      if (!isExact) {
        const files = await datasets.countFiles(db.read, {
          datasetId: id,
          version,
          prefix: input.prefix,
          fileTypes: input.fileTypes,
        });
        const all = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        const scaled = Math.round((count * all) / Math.max(1, endedBytes, seenBytes));
        count = Math.min(Math.max(count, scaled), maxSamples ?? Number.MAX_SAFE_INTEGER);
      }
      const variables = valuesOf(template, definition.variables);
      const rows = await readLatestSeedRows({ db, datasets, samples }, template.columns);
      return estimate({ ...definition, variables }, { count, isExact, measured, rows });
    },

    async ofWork(details, count) {
      const measured: (PromptSample | undefined)[] = [];
      const places = count <= measuredPrompts ? 1 : measuredPlaces;
      for (let place = 0; place < places; place += 1) {
        const from = Math.floor((place * count) / places);
        const rows = await listSamples(db.read, details.workId, { from, limit: measuredPrompts / places });
        for (const row of rows) measured.push(row.problem === null ? contentOf(row) : undefined);
      }
      const rows = await readSeedRows(samples, details.template.columns, details.seedVersions ?? {});
      return estimate(details, { count, isExact: true, measured, rows });
    },

    async usageOf({ workId, model, judge, template }, runIds) {
      const work = await findWork(db.read, workId);
      const sums = await sumRecords(db.scan, workId);
      const columns = (template.columns ?? []).flatMap((column) => column.model ?? []);
      const asked = new Set([model, ...(judge?.model === undefined ? [] : [judge.model]), ...columns]);
      const used = await models.usageOfRuns([...asked], runIds);
      const actual = {
        records: sums.records,
        calls: used.calls,
        known: sums.known,
        inputTokens: used.inputTokens,
        outputTokens: used.outputTokens,
        cost: used.cost,
        seconds: (work?.spent_ms ?? 0) / 1000,
      };
      const forecast =
        work?.forecast === undefined || work.forecast === null ? null : (JSON.parse(work.forecast) as Forecast);
      const errorOf = (given: number, expected: number | null | undefined): number | null =>
        expected === null || expected === undefined || expected === 0 ? null : given / expected - 1;
      return {
        forecast,
        actual,
        error: {
          calls: errorOf(actual.calls, forecast?.calls),
          inputTokens: errorOf(actual.inputTokens, forecast?.inputTokens),
          outputTokens: errorOf(actual.outputTokens, forecast?.outputTokens),
          cost: errorOf(actual.cost, forecast?.cost),
          seconds: errorOf(actual.seconds, forecast?.seconds),
        },
      };
    },
  };
}

/** One call about a sample: its texts, tokens that it has beside them, and those that its reply may have. */
type ExpectedCall = {
  model: string;
  texts: string[];
  plus: number;
  reply: number;
  messages: readonly ChatMessage[];
  schema: OutputSchema | null;
};

/** The calls about a sample, each with what is known of its prompt before the run; undefined if there will be none. */
function createQuestions(
  { template, variables, model, judge }: Asked,
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
            // The record that it grades.
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
