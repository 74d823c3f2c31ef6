import type { NewRun, Run } from '../runs/index.ts';
import type { Tx } from '../storage/database/database.ts';
import type { TaskLinksTable } from '../storage/database/tables/tasks.ts';
import type { Execution, NewTaskFields, TaskFields } from './schemas.ts';

/** A task as its area sees it. */
export type StoredTask<Definition> = { id: string; name: string; definition: Definition };

export type TaskLink = Omit<TaskLinksTable, 'task_id'>;

/** What a run is to do, before it stands in the queue. */
export type RunPlan<Definition> = Pick<NewRun, 'details' | 'datasets'> & {
  /** The task's definition, where it changes with the execution. */
  definition?: Definition;
};

/** What an area says of its tasks; everything else about tasks is the same for all. */
export type TaskArea<Given extends NewTaskFields, Definition, Own> = {
  /** URL prefix. */
  area: string;
  /** Completes and checks what is given where that takes time, before the transaction: a new task, or changes of `before`. */
  prepare?<G extends Partial<Given>>(given: G, before: StoredTask<Definition> | undefined): Promise<G>;
  /** Checks what is given and makes the definition of it; `before` is that of the task when one is changed. */
  define(tx: Tx, given: Given, before: Definition | undefined): Promise<Definition>;
  /** What an update changes: the stored definition as it would be given, with the changes over it. */
  change(before: StoredTask<Definition>, changes: Partial<Given>): Given;
  /** What the task names. */
  linksOf?(definition: Definition): readonly TaskLink[];
  /** The area's own fields of tasks, in their order. */
  show(definitions: readonly Definition[]): Promise<Own[]>;
  /** What an execution does; `resumed` is the run that it goes on from. */
  plan(
    tx: Tx,
    task: StoredTask<Definition>,
    execution: Execution,
    resumed: Run | undefined,
  ): Promise<RunPlan<Definition>>;
  /** Whether finished work of the earlier run is what the new one would make; by default when their details are equal. */
  isSameWork?(earlier: unknown, details: unknown): boolean;
};

/** A task as the API shows it. */
export type TaskView<Own> = TaskFields & Own;
