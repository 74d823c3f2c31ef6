import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { parseName } from '../../kernel/text-fields.ts';
import type { Secrets } from '../../secrets/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { lockTarget, lockTargetOfTask, type TaskArea } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { givenOf, secretKind, type CollectionDefinition, type CollectionDetails } from './definition.ts';
import { deleteStates } from './queries/states.ts';
import type { CollectionFields, NewCollectionTask } from './schemas/tasks.ts';
import { defineSource, findConnector, shownSource } from './source-config.ts';

/** The definition of collection tasks. */
export function createCollectionTasks({
  db,
  datasets,
  secrets,
  roots,
}: {
  db: Database;
  datasets: DatasetAccess;
  secrets: Pick<Secrets, 'put' | 'remove'>;
  roots: readonly string[];
}): TaskArea<NewCollectionTask, CollectionDefinition, CollectionFields> {
  return {
    area: 'data-collection',

    read: (stored) => stored as CollectionDefinition,

    prepare: async (given, before) => withSyncMode(given, before?.definition),

    async define(tx, task, before, id) {
      if (task.targetDatasetId !== undefined && task.targetDatasetName !== undefined)
        throw invalid('targetDatasetName', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'targetDatasetId' }));
      const connector = await defineSource({ secrets, roots }, tx, task.connector, { id, before: before?.connector });
      const target =
        task.targetDatasetId === undefined ? undefined : await lockTarget(tx, datasets, task.targetDatasetId);
      const name = target?.name ?? parseName('targetDatasetName', task.targetDatasetName ?? task.name, 100);
      const ownsTarget = target === undefined;
      // The task keeps the dataset that it created unless another one is requested.
      const keepsTarget = ownsTarget && before?.ownsTarget === true && before.targetDatasetName === name;
      const canContinue = findConnector(connector.type)?.incremental === true;
      if (task.incremental === true && !canContinue)
        throw invalid('incremental', parameterProblems.MUST_NOT_BE_INCREMENTAL.reason({ type: connector.type }));
      const definition: CollectionDefinition = {
        connector,
        targetDatasetId: keepsTarget ? before.targetDatasetId : (target?.id ?? null),
        targetDatasetName: name,
        targetDatasetType: target?.type ?? task.targetDatasetType ?? 'TEXT',
        ownsTarget,
        prefix: parsePrefix('prefix', task.prefix ?? ''),
        onConflict: task.onConflict ?? 'REPLACE',
        syncMode: task.syncMode ?? 'ONCE',
        incremental: task.incremental ?? canContinue,
      };
      if (before !== undefined && !isSamePlace(before, definition)) await deleteStates(tx, id);
      return definition;
    },

    change({ name, definition }, changes) {
      const changed = { name, ...givenOf(definition), ...changes };
      // Setting one kind of target replaces the other.
      const { targetDatasetId: id, targetDatasetName: targetName } = changes;
      if (targetName !== undefined && id === undefined) delete changed.targetDatasetId;
      if (id !== undefined && targetName === undefined) delete changed.targetDatasetName;
      // Drop an option that the new connector may not support.
      const isOther = changes.connector !== undefined && changes.connector.type !== definition.connector.type;
      if (isOther && changes.incremental === undefined) delete changed.incremental;
      return changed;
    },

    async remove(tx, id) {
      await deleteStates(tx, id);
      await secrets.remove(tx, secretKind, id);
    },

    async show(definitions) {
      const ids = definitions.flatMap(({ targetDatasetId }) => targetDatasetId ?? []);
      const names = await datasets.findNames(db.read, [...new Set(ids)]);
      return definitions.map(({ ownsTarget: _ownsTarget, connector, ...definition }) => ({
        ...definition,
        connector: { ...shownSource(connector), storedSecrets: [...connector.storedSecrets] },
        targetDatasetName: names.get(definition.targetDatasetId ?? '') ?? definition.targetDatasetName,
      }));
    },

    async plan(tx, task, execution, { resumed }) {
      const { definition } = task;
      if (execution.fromStart === true && resumed !== undefined)
        throw invalid('fromStart', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'resume' }));
      const target = await lockTargetOfTask(tx, datasets, definition);
      // The dataset was deleted and is created again: its content has to be fetched again.
      if (definition.targetDatasetId !== null && target === undefined) await deleteStates(tx, task.id);
      const targetDatasetId = target?.id ?? null;
      const earlier = resumed?.details as CollectionDetails | undefined;
      return {
        definition: { ...definition, targetDatasetId },
        details: detailsOf(task.name, definition, earlier?.fromStart ?? execution.fromStart === true),
        datasets: targetDatasetId === null ? [] : [{ datasetId: targetDatasetId, role: 'TARGET', version: null }],
      };
    },

    isSameWork: (earlier, details) => isDeepStrictEqual(workOf(earlier), workOf(details)),
  };
}

function detailsOf(taskName: string, definition: CollectionDefinition, fromStart: boolean): CollectionDetails {
  const { connector, prefix, onConflict, incremental } = definition;
  return { connector, prefix, onConflict, incremental, fromStart, taskName };
}

function workOf(details: unknown): unknown {
  const { taskName: _taskName, ...work } = details as CollectionDetails;
  return work;
}

/** Whether the changed task would put the items collected so far in the same place. */
function isSamePlace(before: CollectionDefinition, after: CollectionDefinition): boolean {
  return (
    before.connector.type === after.connector.type &&
    before.prefix === after.prefix &&
    before.targetDatasetId === after.targetDatasetId
  );
}

/** Makes schedule and mode agree: each follows from the other if only one is given. */
function withSyncMode<G extends Partial<NewCollectionTask>>(given: G, before: CollectionDefinition | undefined): G {
  const { schedule, syncMode } = given;
  if (syncMode === 'ONCE') {
    if (schedule !== undefined && schedule !== null)
      throw invalid('schedule', parameterProblems.MUST_NOT_HAVE_SCHEDULE.reason({}));
    return { ...given, schedule: null };
  }
  if (syncMode === 'SCHEDULED') {
    const hasSchedule = schedule === undefined ? before?.syncMode === 'SCHEDULED' : schedule !== null;
    if (!hasSchedule) throw invalid('schedule', parameterProblems.NEEDS_SCHEDULE.reason({}));
    return given;
  }
  if (schedule === undefined) return given;
  return { ...given, syncMode: schedule === null ? 'ONCE' : 'SCHEDULED' };
}
