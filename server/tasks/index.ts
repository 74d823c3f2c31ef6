export { taskErrors } from './errors.ts';
export { createRunList, type ListedRun, type RunList, type RunNames } from './run-list.ts';
export { createTaskFloor, type TaskFloor } from './task-floor.ts';
export type { RunOrigin, RunPlan, StoredTask, TaskArea, TaskLink, TaskView } from './task-area.ts';
export { lockTarget, lockTargetOfTask, requireSource } from './task-datasets.ts';
export type { Tasks } from './tasks.ts';
export { createTemplates, type BuiltIn, type Templates } from './templates.ts';
