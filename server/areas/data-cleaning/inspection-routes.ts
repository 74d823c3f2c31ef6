import type { AreaRoutes } from '../../http/routes.ts';
import { InspectionBody, InspectionSchema } from './schemas/inspections.ts';
import type { Inspections } from './inspections.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';

const tags = ['Data cleaning'];

/** Inspection of how a task would read its input. */
export function inspectionRoutes({ inspections }: { inspections: Inspections }): AreaRoutes {
  return (app) => {
    app.post(
      '/inputs',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'inspectCleaningInput',
          summary: 'Show how a task would read the files of a dataset; writes nothing',
          description:
            'For use before creating a task: lists the tables with their text columns and the one that would be cleaned, guessed encodings, and files ' +
            'that cannot be read. Inspects only the first bytes of each file.',
          tags,
          body: InspectionBody,
          response: { 200: InspectionSchema },
        },
      },
      (request) => inspections.inspect(request.body),
    );
  };
}
