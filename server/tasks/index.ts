export { taskErrors } from './errors.ts';
export { createTaskFloor, type ListedRun, type RunNames, type TaskFloor } from './task-floor.ts';
export type { RunOrigin, RunPlan, StoredTask, TaskArea, TaskLink, TaskView } from './task-area.ts';
export { lockTarget, lockTargetOfTask, requireSource } from './task-datasets.ts';
export type { Tasks } from './tasks.ts';
export { createTemplates, type BuiltIn, type Templates } from './templates.ts';
