import type { NewRun, Run, RunDataset } from '../runs/index.ts';
import type { Tx } from '../storage/database/database.ts';
import type { TaskLinksTable } from '../storage/database/tables/tasks.ts';
import type { Execution, NewTaskFields, TaskFields } from './schemas.ts';

/** A task as stored. */
export type StoredTask<Definition> = { id: string; name: string; definition: Definition };

export type TaskLink = Omit<TaskLinksTable, 'task_id'>;

/** A run about to be queued. */
export type RunPlan<Definition> = Pick<NewRun, 'details' | 'datasets'> & {
  /** The task's new definition, if the execution changes it. */
  definition?: Definition;
};

/** What an execution builds on. */
export type RunOrigin = {
  /** The run that it resumes. */
  resumed: Run | undefined;
  /** The latest completed run, whose failed samples are the input, with that run's datasets. */
  failedOf: { run: Run; datasets: readonly RunDataset[] } | undefined;
};

/** The part of tasks that an area defines; everything else is shared. */
export type TaskArea<Given extends NewTaskFields, Definition, Own> = {
  /** URL prefix. */
  area: string;
  /**
   * Slow checks and completion of the input before the transaction; may change the schedule. `before`: task to change.
   */
  prepare?<G extends Partial<Given>>(given: G, before: StoredTask<Definition> | undefined): Promise<G>;
  /** The definition that any release so far has stored, with the fields that later ones added. */
  read(stored: unknown): Definition;
  /** Checks the input and returns the definition; `before` is the current definition of a task being changed. */
  define(tx: Tx, given: Given, before: Definition | undefined, id: string): Promise<Definition>;
  /** Merges changes into the stored definition; returns a complete input. */
  change(before: StoredTask<Definition>, changes: Partial<Given>): Given;
  /** Deletes the area's own data of a task being deleted. */
  remove?(tx: Tx, id: string): Promise<void>;
  /** The things that the task refers to. */
  linksOf?(definition: Definition): readonly TaskLink[];
  /** The area's own fields of the given tasks, in the same order. */
  show(definitions: readonly Definition[], ids: readonly string[]): Promise<Own[]>;
  /** Whether the failed samples of a run can be the input of another. */
  takesFailedOf?: boolean;
  /** Plans an execution; throws FAILED_OF_REFUSED. */
  plan(tx: Tx, task: StoredTask<Definition>, execution: Execution, origin: RunOrigin): Promise<RunPlan<Definition>>;
  /** Whether a new run can reuse the finished work of an earlier one; default: if their details are equal. */
  isSameWork?(earlier: unknown, details: unknown): boolean;
};

/** A task as the API shows it. */
export type TaskView<Own> = TaskFields & Own;
