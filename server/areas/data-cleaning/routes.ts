import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CleaningDefinition } from './definition.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import type { Ledgers } from './ledgers.ts';
import { PreviewBody, PreviewSchema } from './preview-schemas.ts';
import type { Previews } from './previews.ts';
import {
  NewTaskBody,
  stepsBodyLimit,
  TaskChangesBody,
  TaskSchema,
  type CleaningFields,
  type NewTask,
} from './schemas.ts';
import { templateRoutes } from './template-routes.ts';
import type { Templates } from './templates.ts';

const tags = ['Data cleaning'];

/** Routes under `/data-cleaning`. */
export function dataCleaningRoutes(services: {
  tasks: Tasks<NewTask, CleaningDefinition, CleaningFields>;
  templates: Templates;
  previews: Previews;
  ledgers: Ledgers;
}): AreaRoutes {
  const { tasks, previews } = services;
  return async (app) => {
    await templateRoutes(services)(app);
    app.post(
      '/preview',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewCleaning',
          summary: 'Preview steps on the first samples of a dataset; writes nothing',
          description:
            'Steps over the whole set, such as deduplication, compare only these samples. Long texts are cut to 20,000 characters, ' +
            'or fewer if samples × steps are many. Takes at most 30 s.',
          tags,
          body: PreviewBody,
          response: { 200: PreviewSchema },
        },
      },
      (request) => previews.preview(request.body),
    );
    addTaskRoutes(app, {
      tasks,
      tag: 'Data cleaning',
      noun: 'cleaning',
      schemas: { task: TaskSchema, newTask: NewTaskBody, changes: TaskChangesBody },
      bodyLimit: stepsBodyLimit,
    });
    await ledgerRoutes(services)(app);
  };
}
