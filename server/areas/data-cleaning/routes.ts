import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { bodyValidator } from '../../http/validation.ts';
import { includesRole } from '../../kernel/principal.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CleaningDefinition } from './definition.ts';
import { InspectionBody, InspectionSchema } from './inspection-schemas.ts';
import type { Inspections } from './inspections.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import type { Ledgers } from './ledgers.ts';
import type { GivenPictures } from './given-pictures.ts';
import {
  PictureFormSchema,
  PicturePreviewSchema,
  PictureStepsSchema,
  PreviewBody,
  PreviewSchema,
} from './preview-schemas.ts';
import type { Previews } from './previews.ts';
import {
  NewTaskBody,
  stepsBodyLimit,
  TaskChangesBody,
  TaskSchema,
  type CleaningFields,
  type NewTask,
} from './schemas.ts';
import { profileRoutes } from './profile-routes.ts';
import type { Profiles } from './profiles.ts';
import { templateRoutes } from './template-routes.ts';
import type { Templates } from './templates.ts';

const tags = ['Data cleaning'];
const readPictureSteps = bodyValidator(PictureStepsSchema, 'POST');

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
  const { tasks, previews, pictures, inspections } = services;
  return async (app) => {
    await templateRoutes(services)(app);
    app.post(
      '/preview',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewCleaning',
          summary: 'Preview steps on the first samples of a dataset, or on random ones; writes nothing',
          description:
            'Steps over the whole set, such as deduplication, compare only these samples. Long texts are cut to 20,000 characters, ' +
            'or fewer if samples × steps are many. With `sample`, samples are drawn from the whole input: tables of up to 128 MiB in all are read whole; of ' +
            'larger ones, blocks of 64 KiB are drawn at random, and rows among those that begin in them (`drawn`). Drawing takes at most 30 s, and so does the rest. ' +
            'Steps that ask models really ask them, about 20 samples at most, for editors alone; `asked` says what that used.',
          tags,
          body: PreviewBody,
          response: { 200: PreviewSchema },
        },
      },
      (request) => previews.preview(request.body, includesRole(request.principal.role, 'EDITOR')),
    );
    app.post(
      '/preview/pictures',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: { contentType: 'multipart/form-data', schema: PictureFormSchema },
        },
        schema: {
          operationId: 'previewPictures',
          summary: 'Preview steps on pictures that are sent along; stores nothing',
          description: 'The pictures are part of no dataset, and are gone when this has answered.',
          tags,
          response: { 200: PicturePreviewSchema },
        },
      },
      (request) => receiveForm(request.raw, pictures.receive(readPictureSteps)),
    );
    app.post(
      '/inputs',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'inspectCleaningInput',
          summary: 'How a task would read the files of a dataset; writes nothing',
          description:
            'Before a task exists: its tables with their columns of text and the one that would be cleaned, encodings that are guesses, and files ' +
            'that can not be read. Tells it from the first bytes of each file.',
          tags,
          body: InspectionBody,
          response: { 200: InspectionSchema },
        },
      },
      (request) => inspections.inspect(request.body),
    );
    addTaskRoutes(app, {
      tasks,
      tag: 'Data cleaning',
      noun: 'cleaning',
      schemas: { task: TaskSchema, newTask: NewTaskBody, changes: TaskChangesBody },
      bodyLimit: stepsBodyLimit,
    });
    await profileRoutes(services)(app);
    await ledgerRoutes(services)(app);
  };
}
