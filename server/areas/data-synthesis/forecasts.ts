import type { Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import { sourceTextOf } from './checks.ts';
import { createEstimate } from './forecast-estimate.ts';
import type { PromptSample } from './prompts.ts';
import { sumRecords } from './queries/records.ts';
import { findWork, listSamples } from './queries/works.ts';
import type { Forecast, RunUsage } from './schemas/records.ts';
import type { SourceSamples } from './source-samples.ts';
import { readLatestSeedRows, readSeedRows } from './columns/seed-rows.ts';
import { contentOf } from './record-rows.ts';
import { valuesOf } from './template-definition.ts';

/** Forecasts what runs will need, and compares it with what they used. */
export type Forecasts = {
  /** Forecast before a run, from the first samples of the source. */
  ofTask(definition: SynthesisDefinition): Promise<Forecast>;
  /** Forecast once all samples are stored. */
  ofWork(details: SynthesisDetails, samples: number): Promise<Forecast>;
  /** What a run and the runs it resumed have used so far, beside the forecast. */
  usageOf(details: SynthesisDetails, runIds: readonly string[]): Promise<RunUsage>;
};

/** Limits of reading for a forecast; the rest is estimated by size. */
const readSamples = 2000;
const readMs = 5000;
/** Number of prompts whose tokens are counted. */
const measuredPrompts = 200;
const measuredPlaces = 10;

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
  const estimate = createEstimate({ db, models });

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
        // The clock starts here, once the document reader has started.
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
