import { measureOf } from '../../chunking/measure.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { coded } from '../../kernel/sentences.ts';
import { modelErrors, type Model, type Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { synthesisErrors } from './errors.ts';
import { createGenerator, isBudgetExhausted, mergeChecks, noUsage, type RecordDraft } from './generation.ts';
import type { NewSynthesisPreview, SynthesisPreview } from './preview-schemas.ts';
import { renderPrompt } from './prompts.ts';
import { synthesisReasons } from './sentences.ts';
import { defaultChunking, parseInput, type SourceSample, type SourceSamples } from './source-samples.ts';
import { parseTemplate, valuesOf, withChanges } from './template-definition.ts';
import type { InstructionTemplates } from './templates.ts';

/** Tries a template on the first samples of a dataset. */
export type SynthesisPreviews = {
  /** Stores nothing but the replies in the ledger: a run does not pay for them again. */
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
      // What is being edited is tried before it becomes a version.
      const template =
        changes === undefined ? definition : parseTemplate({ name, ...withChanges(definition, changes) });
      const variables = valuesOf(template, given);
      const chunking = chunkingOf(request.chunking, defaultChunking);
      const input = parseInput(request.input ?? {});
      const model = request.model === undefined ? undefined : await chatModel(models, request.model);
      const source = await datasets.find(db.read, id);
      if (source === undefined) throw synthesisErrors.SYNTHESIS_SOURCE_NOT_FOUND({ id });
      const version = sourceVersion ?? source.version;
      const found: SourceSample[] = [];
      for await (const item of samples.read({ datasetId: id, version, input, chunking })) {
        if ('sample' in item) found.push(item.sample);
        if (found.length === limit) break;
      }
      const timeout = AbortSignal.timeout(previewMs);
      const signal = gone === undefined ? timeout : AbortSignal.any([timeout, gone]);
      const recipe = { template, variables, model: model?.id ?? '', checks: mergeChecks(template) };
      const generator = model === undefined ? undefined : createGenerator(models, recipe);
      const measure = measureOf('TOKENS');
      const shown = await Promise.all(
        found.map(async (sample) => {
          const { fileId, filePath, rowNumber: row, start, end, problem } = sample;
          const rendered = problem === null ? renderPrompt(template, sample, variables) : { problem };
          const messages = 'messages' in rendered ? rendered.messages : [];
          const record =
            generator === undefined || problem !== null
              ? undefined
              : await generator.generate(sample, 0, { signal }).catch((error: unknown) => asDraft(error, timeout));
          return {
            source: { fileId, filePath, version, row, start, end },
            messages,
            columns: null,
            tokens: messages.reduce((sum, { content }) => sum + measure(content), 0),
            ...coded('problem', 'problem' in rendered ? rendered.problem : null),
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

/** A model that can answer; throws MODEL_NOT_FOUND, MODEL_WRONG_KIND. */
export async function chatModel(models: Pick<Models, 'registry'>, reference: string): Promise<Model> {
  const model = await models.registry.get(reference);
  if (model.kind !== 'CHAT') throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'CHAT' });
  return model;
}

function asDraft(error: unknown, timeout: AbortSignal): RecordDraft {
  const isExpected = isBudgetExhausted(error) || timeout.aborted;
  if (!isExpected) throw error;
  const why = timeout.aborted ? `it did not finish within ${previewMs / 1000} s` : (error as Error).message;
  return {
    verdict: 'FAILED',
    reason: synthesisReasons.SYNTHESIS_CALL_FAILED({ why }),
    output: null,
    usage: noUsage,
    isCalled: false,
  };
}

function recordOf({
  verdict,
  reason,
  output,
  usage,
}: RecordDraft): NonNullable<SynthesisPreview['samples'][number]['record']> {
  return { verdict, ...coded('reason', reason), column: null, output: output === null ? null : { ...output }, usage };
}
