import { bodyValidator } from '../../http/validation.ts';
import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { includesRole } from '../../kernel/principal.ts';
import type { GivenPictures } from './given-pictures.ts';
import {
  PictureFormSchema,
  PicturePreviewSchema,
  PreviewBody,
  PreviewSchema,
  PictureStepsSchema,
} from './schemas/previews.ts';
import type { Previews } from './previews.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';

const tags = ['Data cleaning'];
const readPictureSteps = bodyValidator(PictureStepsSchema, 'POST');

/** Previews of steps. */
export function previewRoutes({ previews, pictures }: { previews: Previews; pictures: GivenPictures }): AreaRoutes {
  return (app) => {
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
            'or fewer for many samples × steps. With `sample`, samples are drawn from the whole input: tables of up to 128 MiB in all are read whole; ' +
            'from larger ones, random 64 KiB blocks are drawn, and then rows that begin in them (`drawn`). Drawing takes at most 30 s, and so does the preview itself. ' +
            'Steps that use models really call them, for about 20 samples at most and only for editors; `asked` reports the usage.',
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
          summary: 'Preview steps on uploaded pictures; stores nothing',
          description: 'The pictures belong to no dataset and are discarded after the response.',
          tags,
          response: { 200: PicturePreviewSchema },
        },
      },
      (request) => receiveForm(request.raw, pictures.receive(readPictureSteps)),
    );
  };
}
