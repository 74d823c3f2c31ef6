import { measureOf } from '../../chunking/measure.ts';
import type { Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import { synthesisErrors } from './errors.ts';
import { sourceTextOf } from './checks.ts';
import { renderPrompt, type PromptSample } from './prompts.ts';
import { sumRecords } from './queries/records.ts';
import { findWork, listFinishedWorks, listSamples } from './queries/works.ts';
import type { Forecast, RunUsage } from './record-schemas.ts';
import type { SourceSamples } from './source-samples.ts';
import { contentOf } from './record-rows.ts';
import { valuesOf } from './template-definition.ts';

/** What a run will need, and what it needed. */
export type Forecasts = {
  /** Before a run, from the first samples of the source. */
  ofTask(definition: SynthesisDefinition): Promise<Forecast>;
  /** Once all samples are stored. */
  ofWork(details: SynthesisDetails, samples: number): Promise<Forecast>;
  /** What a run and those that it resumes used so far, beside what was expected. */
  usageOf(details: SynthesisDetails): Promise<RunUsage>;
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
  models: Pick<Models, 'registry'>;
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
    { count, isExact, measured }: { count: number; isExact: boolean; measured: readonly (PromptSample | undefined)[] },
  ): Promise<Forecast> {
    const { template, variables, perSample, judge } = asked;
    const model = await models.registry.get(asked.model);
    const schemaTokens = template.outputSchema === null ? 0 : measure(JSON.stringify(template.outputSchema));
    let [tokens, usable] = [0, 0];
    for (const sample of measured) {
      const prompt = sample === undefined ? undefined : renderPrompt(template, sample, variables);
      if (sample === undefined || prompt === undefined || 'problem' in prompt) continue;
      usable += 1;
      tokens += schemaTokens + prompt.messages.reduce((sum, { content }) => sum + measure(content), 0);
      if (judge !== null) tokens += measure(sourceTextOf(sample)) + measure(judge.rubric) + presetTokens[template.type];
    }
    const records = count * perSample;
    const asking = measured.length === 0 ? 0 : Math.round((records * usable) / measured.length);
    const calls = asking * (judge === null ? 1 : 2);
    const promptTokens = usable === 0 ? 0 : Math.round((asking * tokens) / usable);
    const known = await experienceOf(asked.model, template.type);
    const perReply =
      known?.outputTokens ??
      (presetTokens[template.type] + (judge === null ? 0 : judgeTokens)) / (judge === null ? 1 : 2);
    const inputTokens = Math.round(promptTokens * (known?.inputFactor ?? 1));
    const outputTokens = Math.round(calls * perReply);
    const { prices } = model;
    return {
      samples: count,
      records,
      calls,
      promptTokens,
      inputTokens,
      outputTokens,
      cost: prices === null ? null : (inputTokens * prices.input + outputTokens * prices.output) / 1e6,
      seconds: known === undefined ? null : Math.round((calls * known.msPerCall) / 1000),
      isExact,
      basis: known === undefined ? 'PRESET' : 'EXPERIENCE',
    };
  }

  return {
    async ofTask(definition) {
      const { sourceDatasetId: id, input, chunking, template, maxSamples } = definition;
      const source = await datasets.find(db.read, id);
      if (source === undefined) throw synthesisErrors.SYNTHESIS_SOURCE_NOT_FOUND({ id });
      const version = definition.sourceVersion ?? source.version;
      const measured: (PromptSample | undefined)[] = [];
      const until = performance.now() + readMs;
      let [count, endedBytes, seenBytes, isExact] = [0, 0, 0, true];
      for await (const item of samples.read({ datasetId: id, version, input, chunking })) {
        if ('endedBytes' in item) endedBytes += item.endedBytes;
        if (!('sample' in item)) continue;
        const { sample } = item;
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
      return estimate({ ...definition, variables }, { count, isExact, measured });
    },

    async ofWork(details, count) {
      const measured: (PromptSample | undefined)[] = [];
      const places = count <= measuredPrompts ? 1 : measuredPlaces;
      for (let place = 0; place < places; place += 1) {
        const from = Math.floor((place * count) / places);
        const rows = await listSamples(db.read, details.workId, { from, limit: measuredPrompts / places });
        for (const row of rows) measured.push(row.problem === null ? contentOf(row) : undefined);
      }
      return estimate(details, { count, isExact: true, measured });
    },

    async usageOf({ workId }) {
      const work = await findWork(db.read, workId);
      const sums = await sumRecords(db.scan, workId);
      const actual = {
        records: sums.records,
        calls: sums.calls,
        known: sums.known,
        inputTokens: sums.input_tokens,
        outputTokens: sums.output_tokens,
        cost: sums.cost_nano / 1e9,
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
