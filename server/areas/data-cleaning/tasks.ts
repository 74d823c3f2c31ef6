import { isoNow, type Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { parseName, parseText } from '../../kernel/text-fields.ts';
import type { Engine } from '../../engine/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { CleaningTasksTable } from '../../storage/database/tables/data-cleaning.ts';
import type { DatasetsTable } from '../../storage/database/tables/datasets.ts';
import { cleaningErrors } from './errors.ts';
import {
  countTasks,
  deleteTask,
  findDataset,
  findTask,
  insertTask,
  listTasks,
  lockDataset,
  lockTask,
  updateTask,
  type TaskOrder,
  type TaskRow,
} from './queries.ts';
import type { NewStep, NewTask, Task, TaskChanges, TaskInput, TasksQuery, taskSortFields } from './schemas.ts';
import { chooseSteps, parseSteps } from './steps.ts';
import { parseInput } from './task-input.ts';
import { toTask } from './task-view.ts';
import type { Templates } from './templates.ts';
import { checkTextColumns } from './text-columns.ts';

export type Tasks = {
  list(query: TasksQuery): Promise<Page<Task>>;
  create(task: NewTask, by: string): Promise<Task>;
  /** Throws TASK_NOT_FOUND, as all that take an id do. */
  get(id: string): Promise<Task>;
  /** Throws TASK_RUNNING. */
  update(id: string, changes: TaskChanges, by: string): Promise<Task>;
  /** With its runs and their ledgers; the datasets stay. Throws TASK_RUNNING. */
  remove(id: string): Promise<void>;
};

export type TaskServices = {
  db: Database;
  clock: Clock;
  engine: Engine;
  runs: Runs;
  operators: readonly Operator[];
  templates: Pick<Templates, 'get'>;
};

const orderColumns: Readonly<Record<(typeof taskSortFields)[number], TaskOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

export function createTasks({ db, clock, engine, runs, operators, templates }: TaskServices): Tasks {
  async function get(id: string): Promise<Task> {
    const row = await findTask(db.read, id);
    if (row === undefined) throw cleaningErrors.TASK_NOT_FOUND({ id });
    return withRun(row);
  }

  /** The run is read after its task: one that has ended in between has named a target that the task as read does not know. */
  async function withRun(row: TaskRow): Promise<Task> {
    if (row.last_run_id === null) return toTask(row, undefined);
    const run = await runs.findRun(db.read, 'data-cleaning', row.id, row.last_run_id);
    const isOutdated = run?.status === 'COMPLETED' && row.target_dataset_id === null;
    return toTask((isOutdated ? await findTask(db.read, row.id) : undefined) ?? row, run);
  }

  /** The columns that a definition makes; datasets are looked at, and kept from being deleted meanwhile. */
  async function define(tx: Tx, task: TaskDefinition): Promise<Definition> {
    if (task.targetDatasetId !== undefined && task.targetDatasetName !== undefined) {
      throw invalid('targetDatasetName', 'must not be given together with targetDatasetId');
    }
    const name = parseName('name', task.name, 100);
    const description = parseText('description', task.description ?? '', 500);
    const steps = parseSteps(operators, task.steps);
    const input = parseInput(task.input ?? {});
    const source = await lockDataset(tx, task.sourceDatasetId);
    if (source === undefined) throw cleaningErrors.SOURCE_NOT_FOUND({ id: task.sourceDatasetId });
    const { sourceVersion: version = null } = task;
    if (version !== null && version > source.version) {
      throw cleaningErrors.SOURCE_VERSION_NOT_FOUND({ id: source.id, version });
    }
    const target = task.targetDatasetId === undefined ? undefined : await getTarget(tx, task.targetDatasetId, source);
    const targetName =
      task.targetDatasetName === undefined
        ? cleanedName(source.name)
        : parseName('targetDatasetName', task.targetDatasetName, 100);
    return {
      name,
      name_key: searchTextOf(name),
      description,
      // U+FFFF is no character: no keyword reaches from the name into the description.
      search_text: searchTextOf(`${name}\uFFFF${description}`),
      source_dataset_id: source.id,
      source_dataset_name: source.name,
      source_version: version,
      target_dataset_id: target?.id ?? null,
      target_dataset_name: target?.name ?? targetName,
      owns_target: target === undefined ? 1 : 0,
      steps: JSON.stringify(steps),
      input: JSON.stringify(input),
      on_error: task.onError ?? 'KEEP',
    };
  }

  /** Before the transaction, which is no place to read files: whether the text of the source's tables can be found. */
  async function checkTables({ sourceDatasetId, sourceVersion, input }: Omit<NewTask, 'steps'>): Promise<void> {
    const source = await findDataset(db.read, sourceDatasetId);
    if (source === undefined) return;
    const version = sourceVersion ?? source.version;
    await checkTextColumns({ db: db.scan, engine }, { datasetId: source.id, version, input: parseInput(input ?? {}) });
  }

  return {
    async list(query) {
      const { status, keyword } = query;
      const filter = { status, keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword) };
      const total = await countTasks(db.scan, filter);
      const offset = query.page * query.size;
      if (offset >= total) return toPage([], query, total);
      const rows = await listTasks(db.scan, filter, orderOf(query.sort), { limit: query.size, offset });
      const tasks: Task[] = [];
      for (const row of rows) tasks.push(await withRun(row));
      return toPage(tasks, query, total);
    },

    async create(given, by) {
      const id = newId();
      const now = isoNow(clock);
      const task = { ...given, steps: await chooseSteps(templates, given) };
      parseSteps(operators, task.steps);
      await checkTables(task);
      await db.write(async (tx) => {
        const stamps = { created_at: now, created_by: by, updated_at: now, updated_by: by };
        await insertTask(tx, { id, ...(await define(tx, task)), last_run_id: null, ...stamps });
      });
      return get(id);
    },

    get,

    async update(id, given, by) {
      const before = await findTask(db.read, id);
      if (before === undefined) throw cleaningErrors.TASK_NOT_FOUND({ id });
      const isKept = given.steps === undefined && given.templateId === undefined;
      const changes = isKept ? given : { ...given, steps: await chooseSteps(templates, given) };
      await checkTables({ ...taskOf(before), ...changes });
      await db.write(async (tx) => {
        const row = await lockIdle(tx, runs, id);
        const defined = await define(tx, { ...taskOf(row), ...withoutOtherTarget(row, changes) });
        // The dataset that the task made stays its own unless another one is asked for.
        const keepsTarget =
          row.owns_target === 1 && defined.owns_target === 1 && defined.target_dataset_name === row.target_dataset_name;
        const target = keepsTarget ? { target_dataset_id: row.target_dataset_id } : {};
        await updateTask(tx, id, { ...defined, ...target, updated_at: isoNow(clock), updated_by: by });
      });
      return get(id);
    },

    async remove(id) {
      await db.write(async (tx) => {
        await lockIdle(tx, runs, id);
        await runs.deleteRuns(tx, 'data-cleaning', id);
        await deleteTask(tx, id);
      });
    },
  };
}

type TaskDefinition = Omit<NewTask, 'steps' | 'templateId'> & { steps: readonly NewStep[] };

type Definition = Omit<
  CleaningTasksTable,
  'id' | 'last_run_id' | 'created_at' | 'created_by' | 'updated_at' | 'updated_by'
>;

/** The task's row, which has no unfinished run; throws TASK_NOT_FOUND, TASK_RUNNING. */
export async function lockIdle(tx: Tx, runs: Pick<Runs, 'findRun'>, id: string): Promise<CleaningTasksTable> {
  const row = await lockTask(tx, id);
  if (row === undefined) throw cleaningErrors.TASK_NOT_FOUND({ id });
  const run = row.last_run_id === null ? undefined : await runs.findRun(tx, 'data-cleaning', id, row.last_run_id);
  if (run?.status === 'QUEUED' || run?.status === 'RUNNING') throw cleaningErrors.TASK_RUNNING({ id });
  return row;
}

async function getTarget(tx: Tx, id: string, source: DatasetsTable): Promise<DatasetsTable> {
  if (id === source.id) throw invalid('targetDatasetId', 'must not be the source');
  const target = await lockDataset(tx, id);
  if (target === undefined) throw cleaningErrors.TARGET_NOT_FOUND({ id });
  if (target.status === 'ARCHIVED') throw cleaningErrors.TARGET_ARCHIVED({ id });
  return target;
}

const suffix = ' (cleaned)';

/** `"<source> (cleaned)"`, within the length of a name. */
function cleanedName(source: string): string {
  return [...source].slice(0, 100 - suffix.length).join('') + suffix;
}

/** A stored definition in the form that it was given in. */
function taskOf(row: CleaningTasksTable): TaskDefinition {
  const { prefix, fileTypes, textField } = JSON.parse(row.input) as TaskInput;
  return {
    name: row.name,
    description: row.description,
    sourceDatasetId: row.source_dataset_id,
    ...(row.source_version === null ? {} : { sourceVersion: row.source_version }),
    ...(row.owns_target === 0 && row.target_dataset_id !== null
      ? { targetDatasetId: row.target_dataset_id }
      : { targetDatasetName: row.target_dataset_name }),
    steps: JSON.parse(row.steps) as NewStep[],
    input: { prefix, fileTypes, ...(textField === null ? {} : { textField }) },
    onError: row.on_error,
  };
}

/** Naming one kind of target in an update takes the place of the other. */
function withoutOtherTarget<C extends Omit<TaskChanges, 'steps'>>(row: CleaningTasksTable, changes: C): C {
  const other: { targetDatasetId?: undefined; targetDatasetName?: undefined } = {};
  if (changes.targetDatasetName !== undefined && changes.targetDatasetId === undefined && row.owns_target === 0) {
    other.targetDatasetId = undefined;
  }
  if (changes.targetDatasetId !== undefined && changes.targetDatasetName === undefined && row.owns_target === 1) {
    other.targetDatasetName = undefined;
  }
  return { ...changes, ...other };
}

function orderOf(sort: string | undefined): TaskOrder {
  const [field = '', direction] = (sort ?? '').split(',');
  if (!Object.hasOwn(orderColumns, field)) return { column: 'created_at', direction: 'desc' };
  const column = orderColumns[field as keyof typeof orderColumns];
  return { column, direction: direction === 'desc' ? 'desc' : 'asc' };
}
