import { toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { codedReason, storedReason } from '../../kernel/sentences/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { CollectionItemsTable, CollectionStatesTable } from '../../storage/database/tables/data-collection.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CollectionDefinition } from './definition.ts';
import { listItems } from './queries/items.ts';
import { listStates } from './queries/states.ts';
import type { CollectionItem, ItemsQuery } from './schemas/items.ts';
import type { SourceState } from './schemas/states.ts';
import type { CollectionFields, NewCollectionTask, PageOnlyQuery } from './schemas/tasks.ts';

/** The outcome of each item, and the state of a task's source. All methods throw TASK_NOT_FOUND. */
export type Items = {
  /** In the order of the source. Throws RUN_NOT_FOUND. */
  list(taskId: string, runId: string, query: ItemsQuery): Promise<Page<CollectionItem>>;
  /** What the task has fetched so far, by name. */
  state(taskId: string, query: PageOnlyQuery): Promise<Page<SourceState>>;
};

export function createItems({
  db,
  tasks,
}: {
  db: Database;
  tasks: Pick<Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>, 'get' | 'getRun'>;
}): Items {
  return {
    async list(taskId, runId, query) {
      const { verdict, search } = query;
      await tasks.getRun(taskId, runId);
      const wanted = search === undefined || search === '' ? undefined : searchTextOf(search);
      const { rows, total } = await listItems(db.scan, { runId, verdict, search: wanted }, query);
      return toPage(rows.map(toItem), query, total);
    },
    async state(taskId, query) {
      await tasks.get(taskId);
      const { rows, total } = await listStates(db.scan, taskId, query);
      return toPage(rows.map(toSourceState), query, total);
    },
  };
}

function toItem(row: CollectionItemsTable): CollectionItem {
  return {
    name: row.name,
    verdict: row.verdict,
    ...codedReason('reason', storedReason('reason', row)),
    path: row.path,
    inputs: row.inputs,
    sizeBytes: row.size_bytes,
    fetchedAt: row.fetched_at,
    evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as Record<string, unknown>),
  };
}

function toSourceState(row: CollectionStatesTable): SourceState {
  return {
    name: row.name,
    path: row.path,
    sizeBytes: row.size_bytes,
    fetchedAt: row.fetched_at,
    stamp: row.stamp === null ? null : JSON.parse(row.stamp),
    position: row.position === null ? null : JSON.parse(row.position),
  };
}
