import type { CollectionTask, Connector, NewCollectionTask } from '../../../api/schema.ts';
import type { ScheduleValue } from '../../../runs/schedule-fields.tsx';
import { defaultsOf, isComplete as isFilled, type Field, type Values } from '../../../ui/schema-fields.ts';

/** A collection task while it is being filled in. */
export type TaskDraft = {
  name: string;
  description: string;
  /** Values of the fields of the connector's schema. */
  source: Values;
  target: 'new' | 'existing';
  targetDatasetId: string | undefined;
  targetDatasetName: string;
  prefix: string;
  onConflict: CollectionTask['onConflict'];
  incremental: boolean;
  schedule: ScheduleValue | undefined;
};

export function newDraft(
  connector: Connector,
  fields: readonly Field[],
  targetDatasetId: string | undefined,
): TaskDraft {
  return {
    name: connector.name,
    description: '',
    source: defaultsOf(fields),
    target: targetDatasetId === undefined ? 'new' : 'existing',
    targetDatasetId,
    targetDatasetName: '',
    prefix: '',
    onConflict: 'REPLACE',
    incremental: connector.incremental,
    schedule: undefined,
  };
}

export function draftOf(task: CollectionTask, fields: readonly Field[]): TaskDraft {
  const { targetDatasetId, schedule } = task;
  return {
    name: task.name,
    description: task.description,
    source: { ...defaultsOf(fields), ...task.connector.config },
    target: targetDatasetId === null ? 'new' : 'existing',
    targetDatasetId: targetDatasetId ?? undefined,
    targetDatasetName: task.targetDatasetName,
    prefix: task.prefix,
    onConflict: task.onConflict,
    incremental: task.incremental,
    schedule: schedule === null ? undefined : { cron: schedule.cron, timezone: schedule.timezone },
  };
}

/** The request body for a draft. */
export function bodyOf(draft: TaskDraft, type: string, fields: readonly Field[]): NewCollectionTask {
  const { name, description, target, targetDatasetId, targetDatasetName, prefix, onConflict, incremental } = draft;
  return {
    name,
    description,
    connector: { type, config: configOf(fields, draft.source) },
    ...(target === 'existing' && targetDatasetId !== undefined
      ? { targetDatasetId }
      : targetDatasetName.trim() === ''
        ? {}
        : { targetDatasetName }),
    prefix,
    onConflict,
    incremental,
    schedule: draft.schedule ?? null,
    syncMode: draft.schedule === undefined ? 'ONCE' : 'SCHEDULED',
  };
}

/** The fields of the source that have a value. */
export function configOf(fields: readonly Field[], source: Values): Record<string, unknown> {
  const given = fields.map(({ name }) => [name, source[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null && value !== ''));
}

/** Whether a draft can be saved; the service validates the rest. */
export function isComplete(draft: TaskDraft, fields: readonly Field[]): boolean {
  return (
    draft.name.trim() !== '' &&
    isFilled(fields, draft.source) &&
    (draft.target === 'new' || draft.targetDatasetId !== undefined)
  );
}
