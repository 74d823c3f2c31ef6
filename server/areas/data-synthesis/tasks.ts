import { isDeepStrictEqual } from 'node:util';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { newId } from '../../kernel/ids.ts';
import { parseName } from '../../kernel/text-fields.ts';
import type { Models } from '../../models/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { lockTarget, lockTargetOfTask, requireSource, type TaskArea, type Tasks } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { givenOf, type SynthesisDefinition, type SynthesisDetails } from './definition.ts';
import { synthesisErrors } from './errors.ts';
import { canConverse } from './formats.ts';
import { mergeChecks } from './generation.ts';
import { recordFieldsOf } from './record-schema.ts';
import { chatModel, checkFilling, checkModels } from './chat-models.ts';
import { pinSeeds, seedsOf } from './columns/pinned-seeds.ts';
import { rowColumns } from './columns/seed-rows.ts';
import { deleteEdits } from './queries/records.ts';
import type { NewSynthesisTask, SynthesisFields } from './schemas/tasks.ts';
import { synthesisProblems as problems } from './sentences.ts';
import { defaultChunking, parseInput } from './source-samples.ts';
import { valuesOf } from './template-definition.ts';
import type { InstructionTemplates } from './templates.ts';

const suffix = ' (synthetic)';

/** The task implementation of the area of synthesis. */
export function createSynthesisTasks({
  db,
  datasets,
  models,
  templates,
}: {
  db: Database;
  datasets: DatasetAccess;
  models: Pick<Models, 'registry'>;
  templates: Pick<InstructionTemplates, 'definitionOf'>;
}): TaskArea<NewSynthesisTask, SynthesisDefinition, SynthesisFields> {
  /** The template of a task: its own copy, unless another template or version is requested. */
  async function templateOf(
    tx: Tx,
    { templateId: id, templateVersion }: NewSynthesisTask,
    before: SynthesisDefinition | undefined,
  ): Promise<Pick<SynthesisDefinition, 'templateId' | 'templateName' | 'templateVersion' | 'template'>> {
    if (before?.templateId === id && before.templateVersion === templateVersion) return before;
    const { name, version, definition } = await templates.definitionOf(tx, id, templateVersion);
    return { templateId: id, templateName: name, templateVersion: version, template: definition };
  }

  return {
    area: 'data-synthesis',

    read: (stored) => stored as SynthesisDefinition,

    async prepare(given) {
      const { model, judge } = given;
      const own = model === undefined ? undefined : (await chatModel(models, model)).id;
      const judging = judge?.model === undefined ? undefined : (await chatModel(models, judge.model)).id;
      return {
        ...given,
        ...(own === undefined ? {} : { model: own }),
        ...(judging === undefined ? {} : { judge: { ...judge, model: judging } }),
      };
    },

    async define(tx, task, before) {
      if (task.targetDatasetId !== undefined && task.targetDatasetName !== undefined)
        throw invalid('targetDatasetName', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'targetDatasetId' }));
      const { templateId, templateName, templateVersion, template } = await templateOf(tx, task, before);
      valuesOf(template, task.variables ?? {});
      const { grounding } = task.checks ?? {};
      const fields = recordFieldsOf(template);
      if (grounding !== undefined && grounding !== null && !fields.includes(grounding.field))
        throw invalid('checks.grounding.field', problems.GROUNDING_FIELD.reason({ field: grounding.field }));
      const format = task.format ?? 'RAW';
      if (format !== 'RAW' && !canConverse(template.type, fields))
        throw invalid('format', problems.FORMAT_NEEDS_FIELDS.reason({ format }));
      const { sourceDatasetId, sourceVersion = null } = task;
      const source = requireSource(await datasets.lock(tx, sourceDatasetId), sourceDatasetId, sourceVersion);
      for (const { name: column, datasetId: id } of rowColumns(template.columns))
        if ((await datasets.lock(tx, id)) === undefined) throw synthesisErrors.SYNTHESIS_SEED_NOT_FOUND({ id, column });
      const target =
        task.targetDatasetId === undefined ? undefined : await lockTarget(tx, datasets, task.targetDatasetId);
      const preset = [...source.name].slice(0, 100 - suffix.length).join('') + suffix;
      const targetDatasetName = target?.name ?? parseName('targetDatasetName', task.targetDatasetName ?? preset, 100);
      if (target?.id === source.id) throw invalid('targetDatasetId', parameterProblems.MUST_NOT_BE_SOURCE.reason({}));
      const ownsTarget = target === undefined;
      // A dataset that the task created remains its own unless another name is requested.
      const keepsTarget = ownsTarget && before?.ownsTarget === true && before.targetDatasetName === targetDatasetName;
      const defined: SynthesisDefinition = {
        templateId,
        templateName,
        templateVersion,
        template,
        variables: task.variables ?? {},
        sourceDatasetId: source.id,
        sourceDatasetName: source.name,
        sourceVersion,
        input: parseInput(task.input ?? {}),
        chunking: chunkingOf(task.chunking, defaultChunking),
        model: task.model,
        perSample: task.perSample ?? 1,
        maxSamples: task.maxSamples ?? null,
        checks: task.checks ?? {},
        judge: task.judge ?? null,
        format,
        provenance: task.provenance ?? false,
        budget: task.budget ?? {},
        targetDatasetId: keepsTarget ? before.targetDatasetId : (target?.id ?? null),
        targetDatasetName,
        ownsTarget,
      };
      if (defined.budget.maxCost !== undefined) await checkModels(models, defined);
      const judge = task.judge === undefined || task.judge === null ? undefined : (task.judge.model ?? task.model);
      await checkFilling(models, template, { model: task.model, judge });
      return defined;
    },

    change({ name, definition }, changes) {
      const changed = { name, ...givenOf(definition), ...changes };
      // Setting one kind of target replaces the other.
      const { targetDatasetId: id, targetDatasetName: targetName } = changes;
      if (targetName !== undefined && id === undefined) delete changed.targetDatasetId;
      if (id !== undefined && targetName === undefined) delete changed.targetDatasetName;
      if (changes.templateId !== undefined && changes.templateVersion === undefined) delete changed.templateVersion;
      return changed;
    },

    remove: deleteEdits,

    async show(definitions) {
      const ids = definitions.flatMap(({ sourceDatasetId, targetDatasetId }) => [
        sourceDatasetId,
        ...(targetDatasetId === null ? [] : [targetDatasetId]),
      ]);
      const names = await datasets.findNames(db.read, [...new Set(ids)]);
      return definitions.map(({ ownsTarget: _ownsTarget, template: _template, chunking, ...definition }) => {
        const { separators, ...settings } = chunking;
        return {
          ...definition,
          chunking: separators === undefined ? settings : { ...settings, separators: [...separators] },
          sourceDatasetName: names.get(definition.sourceDatasetId) ?? definition.sourceDatasetName,
          targetDatasetName: names.get(definition.targetDatasetId ?? '') ?? definition.targetDatasetName,
        };
      });
    },

    async plan(tx, task, _execution, { resumed }) {
      const { definition } = task;
      await checkModels(models, definition);
      const target = await lockTargetOfTask(tx, datasets, definition);
      const source = requireSource(await datasets.lock(tx, definition.sourceDatasetId), definition.sourceDatasetId);
      const earlier = resumed?.details as SynthesisDetails | undefined;
      const sourceVersion = definition.sourceVersion ?? earlier?.sourceVersion ?? source.version;
      await datasets.commit.closeVersion(tx, source.id, sourceVersion);
      const seedVersions = await pinSeeds(tx, datasets, definition.template.columns, earlier?.seedVersions);
      const targetDatasetId = target?.id ?? null;
      const purges = earlier === undefined ? await datasets.countPurges(tx, source.id) : earlier.purges;
      return {
        definition: { ...definition, targetDatasetId },
        details: {
          ...detailsOf(task.name, definition, { sourceVersion, seedVersions, workId: earlier?.workId ?? newId() }),
          ...(purges === undefined ? {} : { purges }),
        },
        datasets: [
          { datasetId: source.id, role: 'SOURCE', version: sourceVersion },
          ...seedsOf(definition.template.columns, seedVersions, source.id),
          ...(targetDatasetId === null ? [] : [{ datasetId: targetDatasetId, role: 'TARGET' as const, version: null }]),
        ],
      };
    },

    isSameWork: (earlier, details) => isDeepStrictEqual(workOf(earlier), workOf(details)),
  };
}

function detailsOf(
  taskName: string,
  definition: SynthesisDefinition,
  {
    sourceVersion,
    seedVersions,
    workId,
  }: Pick<SynthesisDetails, 'sourceVersion' | 'workId'> & { seedVersions: Record<string, number> },
): SynthesisDetails {
  const { templateId, templateVersion, template, sourceDatasetId, input, chunking, model, perSample } = definition;
  const { maxSamples, judge, format, provenance, budget } = definition;
  return {
    workId,
    templateId,
    templateVersion,
    template,
    variables: valuesOf(template, definition.variables),
    sourceDatasetId,
    sourceVersion,
    ...(Object.keys(seedVersions).length === 0 ? {} : { seedVersions }),
    input,
    chunking,
    model,
    perSample,
    maxSamples,
    checks: mergeChecks(template, definition.checks),
    judge,
    format,
    provenance,
    budget,
    taskName,
  };
}

/** The settings that determine the records; not the budget or the output format. */
function workOf(details: unknown): unknown {
  const { workId: _w, taskName: _n, budget: _b, format: _f, provenance: _p, ...work } = details as SynthesisDetails;
  return work;
}

/** Tasks that start when they are created, unless the request says otherwise. */
export function startingAtOnce(
  tasks: Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>,
): Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields> {
  return {
    ...tasks,
    async create(given, by) {
      const task = await tasks.create(given, by);
      if (given.autoStart === false) return task;
      await tasks.execute(task.id, {}, by);
      return tasks.get(task.id);
    },
  };
}
