import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CleaningDefinition } from './definition.ts';
import { inspectionRoutes } from './inspection-routes.ts';
import type { Inspections } from './inspections.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import type { Ledgers } from './ledgers.ts';
import type { GivenPictures } from './given-pictures.ts';
import { previewRoutes } from './preview-routes.ts';
import type { Previews } from './previews.ts';
import {
  NewTaskBody,
  stepsBodyLimit,
  TaskChangesBody,
  TaskSchema,
  type CleaningFields,
  type NewTask,
} from './schemas/tasks.ts';
import { profileRoutes } from './profile-routes.ts';
import type { Profiles } from './profiles.ts';
import { templateRoutes } from './template-routes.ts';
import type { Templates } from './templates.ts';

/** Routes under `/data-cleaning`. */
export function dataCleaningRoutes(services: {
  tasks: Tasks<NewTask, CleaningDefinition, CleaningFields>;
  templates: Templates;
  previews: Previews;
  pictures: GivenPictures;
  inspections: Inspections;
  profiles: Profiles;
  ledgers: Ledgers;
}): AreaRoutes {
  return async (app) => {
    await templateRoutes(services)(app);
    await previewRoutes(services)(app);
    await inspectionRoutes(services)(app);
    addTaskRoutes(app, {
      tasks: services.tasks,
      tag: 'Data cleaning',
      noun: 'cleaning',
      schemas: { task: TaskSchema, newTask: NewTaskBody, changes: TaskChangesBody },
      bodyLimit: stepsBodyLimit,
    });
    await profileRoutes(services)(app);
    await ledgerRoutes(services)(app);
  };
}
