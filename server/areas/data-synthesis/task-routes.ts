import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { SynthesisDefinition } from './definition.ts';
import {
  NewSynthesisTaskBody,
  synthesisBodyLimit,
  SynthesisTaskChangesBody,
  SynthesisTaskSchema,
  type NewSynthesisTask,
  type SynthesisFields,
} from './schemas/tasks.ts';

/** Synthesis tasks. */
export function taskRoutes({
  tasks,
}: {
  tasks: Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>;
}): AreaRoutes {
  return (app) => {
    addTaskRoutes(app, {
      tasks,
      tag: 'Data synthesis',
      noun: 'synthesis',
      schemas: { task: SynthesisTaskSchema, newTask: NewSynthesisTaskBody, changes: SynthesisTaskChangesBody },
      bodyLimit: synthesisBodyLimit,
    });
  };
}
