import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { SynthesisDefinition } from './definition.ts';
import type { Exports } from './exports.ts';
import type { SynthesisPreviews } from './previews.ts';
import { recordRoutes } from './record-routes.ts';
import type { Records } from './records.ts';
import type { RunReports } from './run-reports.ts';
import {
  NewSynthesisTaskBody,
  synthesisBodyLimit,
  SynthesisTaskChangesBody,
  SynthesisTaskSchema,
  type NewSynthesisTask,
  type SynthesisFields,
} from './schemas/tasks.ts';
import { templateRoutes } from './template-routes.ts';
import type { InstructionTemplates } from './templates.ts';

/** Routes under `/data-synthesis`. */
export function dataSynthesisRoutes(services: {
  tasks: Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>;
  templates: InstructionTemplates;
  previews: SynthesisPreviews;
  records: Records;
  exports: Exports;
  reports: RunReports;
}): AreaRoutes {
  return async (app) => {
    await templateRoutes(services)(app);
    addTaskRoutes(app, {
      tasks: services.tasks,
      tag: 'Data synthesis',
      noun: 'synthesis',
      schemas: { task: SynthesisTaskSchema, newTask: NewSynthesisTaskBody, changes: SynthesisTaskChangesBody },
      bodyLimit: synthesisBodyLimit,
    });
    await recordRoutes(services)(app);
  };
}
