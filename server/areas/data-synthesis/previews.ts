import { measureOf } from '../../chunking/measure.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { codedReason, runSentences, type Reason } from '../../kernel/sentences/index.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import type { ChatMessage, Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { requireSource } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { chatModel, checkColumnModels, checkFilling } from './chat-models.ts';
import type { ColumnView } from './schemas/columns.ts';
import { createColumnOutlines, createColumnViews } from './columns/column-views.ts';
import { readLatestSeedRows } from './columns/seed-rows.ts';
import {
  failed,
  isBudgetExhausted,
  mergeChecks,
  storableReason,
  type RecordDraft,
  type RecordPlace,
} from './generation.ts';
import { createGenerator } from './generators.ts';
import type { NewSynthesisPreview, SynthesisPreview } from './schemas/previews.ts';
import { renderPrompt } from './prompts.ts';
import { createSampleKeys } from './sample-keys.ts';
import { synthesisReasons } from './sentences.ts';
import { defaultChunking, parseInput, type SourceSample, type SourceSamples } from './source-samples.ts';
import { parseTemplate, valuesOf, withChanges } from './template-definition.ts';
import type { InstructionTemplates } from './templates.ts';

/** Tries out a template on the first samples of a dataset. */
export type SynthesisPreviews = {
  /** Stores only the replies in the ledger, so that a run does not pay for them again. */
  preview(templateId: string, request: NewSynthesisPreview, signal?: AbortSignal): Promise<SynthesisPreview>;
};

const defaultLimit = 3;
const previewMs = 120_000;

export function createPreviews({
  db,
  datasets,
  models,
  samples,
  templates,
}: {
  db: Database;
  datasets: Pick<DatasetAccess, 'find'>;
  models: Pick<Models, 'chat' | 'registry'>;
  samples: SourceSamples;
  templates: Pick<InstructionTemplates, 'definitionOf'>;
}): SynthesisPreviews {
  return {
    async preview(templateId, request, gone) {
      const { sourceDatasetId: id, sourceVersion, limit = defaultLimit, variables: given = {} } = request;
      const { name, definition } = await templates.definitionOf(db.read, templateId, request.version);
      const { changes } = request;
      // Unsaved changes can be tried before they become a version.
      const template =
        changes === undefined ? definition : parseTemplate({ name, ...withChanges(definition, changes) });
      const variables = valuesOf(template, given);
      const chunking = chunkingOf(request.chunking, defaultChunking);
      const input = parseInput(request.input ?? {});
      const model = request.model === undefined ? undefined : await chatModel(models, request.model);
      const source = requireSource(await datasets.find(db.read, id), id, sourceVersion);
      const version = sourceVersion ?? source.version;
      const found: SourceSample[] = [];
      for await (const item of samples.read({ datasetId: id, version, input, chunking })) {
        if ('sample' in item) found.push(item.sample);
        if (found.length === limit) break;
      }
      const timeout = AbortSignal.timeout(previewMs);
      const signal = gone === undefined ? timeout : AbortSignal.any([timeout, gone]);
      const recipe = { template, variables, model: model?.id ?? '', checks: mergeChecks(template) };
      await checkColumnModels(models, template.columns);
      if (model !== undefined) await checkFilling(models, template, { model: model.id });
      const rows = await readLatestSeedRows({ db, datasets, samples }, template.columns);
      const generator = model === undefined ? undefined : createGenerator(models, recipe, rows);
      const outlineOf = template.columns === undefined ? undefined : createColumnOutlines(recipe, rows);
      const columnsOf = createColumnViews(recipe);
      const keyOf = createSampleKeys();
      const measure = measureOf('TOKENS');

      /** The messages that would be sent for a sample. */
      const asked = (sample: SourceSample, place: RecordPlace): Outline => {
        if (sample.problem !== null) return { messages: [], columns: null, problem: sample.problem };
        if (outlineOf !== undefined) return { messages: [], ...outlineOf(sample, place) };
        const rendered = renderPrompt(template, sample, variables);
        if ('problem' in rendered) return { messages: [], columns: null, problem: rendered.problem };
        return { messages: rendered.messages, columns: null, problem: null };
      };

      const shown = await Promise.all(
        found.map(async (sample) => {
          const { fileId, filePath, rowNumber: row, start, end } = sample;
          const place = { key: keyOf(sample), ordinal: 0, sequence: 0 };
          const outline = asked(sample, place);
          const record =
            generator === undefined || sample.problem !== null
              ? undefined
              : await generator.generate(sample, place, { signal }).catch((error: unknown) => asDraft(error, timeout));
          const columns =
            record?.columns === undefined || record.columns === null
              ? outline.columns
              : columnsOf(record.columns, sample);
          const messages = [...outline.messages, ...(columns ?? []).flatMap((column) => column.messages)];
          return {
            source: { fileId, filePath, version, row, start, end },
            messages: outline.messages,
            columns,
            tokens: messages.reduce((sum, { content }) => sum + measure(content), 0),
            ...codedReason('problem', outline.problem),
            ...(record === undefined ? {} : { record: recordOf(record) }),
          };
        }),
      );
      const tokens = shown.reduce((sum, one) => sum + one.tokens, 0);
      const prices = model?.prices ?? null;
      return { samples: shown, tokens, inputCost: prices === null ? null : (tokens * prices.input) / 1e6 };
    },
  };
}

type Outline = { messages: ChatMessage[]; columns: ColumnView[] | null; problem: Reason | null };

function asDraft(error: unknown, timeout: AbortSignal): RecordDraft {
  const isExpected = isBudgetExhausted(error) || timeout.aborted;
  if (!isExpected) throw error;
  const why = timeout.aborted ? runSentences.OVER_TIME.reason({ seconds: previewMs / 1000 }) : reasonOf(error as Error);
  return failed(synthesisReasons.SYNTHESIS_CALL_FAILED.reason({ why: storableReason(why) }));
}

function recordOf({
  verdict,
  reason,
  column,
  output,
  thinking,
  usage,
  mended,
}: RecordDraft): NonNullable<SynthesisPreview['samples'][number]['record']> {
  return {
    verdict,
    ...codedReason('reason', reason),
    column,
    output: output === null ? null : { ...output },
    thinking,
    usage,
    mended: [...mended],
  };
}
