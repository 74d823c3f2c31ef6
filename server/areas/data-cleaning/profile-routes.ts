import type { AreaRoutes } from '../../http/routes.ts';
import {
  ProfileBody,
  ProfilePageSchema,
  ProfileParams,
  ProfileRunSchema,
  ProfileSchema,
  ProfilesQuery,
} from './schemas/profiles.ts';
import type { Profiles } from './profiles.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';

const tags = ['Data cleaning'];

/** Profiles of the samples of a dataset, for choosing steps. */
export function profileRoutes({ profiles }: { profiles: Profiles }): AreaRoutes {
  return (app) => {
    app.post(
      '/profile',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'profileDataset',
          summary: 'Show how the scores of all operators are distributed over a dataset; changes nothing',
          description:
            'Every score that operators compute for a text, with histogram and quantiles; languages, encodings and duplicates. With `sample`, covers randomly drawn samples: ' +
            'the response arrives within 30 s. Without it, a run reads all samples (201, role EDITOR): `GET /data-cleaning/profiles/{runId}` shows its progress and then its profile.',
          tags,
          body: ProfileBody,
          response: { 200: ProfileSchema, 201: ProfileRunSchema },
        },
      },
      async (request, reply) => {
        const { sample } = request.body;
        if (sample !== undefined) return profiles.profile({ ...request.body, sample });
        void reply.code(201);
        return profiles.start(request.body, request.principal);
      },
    );
    app.get(
      '/profiles',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listProfiles',
          summary: 'List the profiles of all samples of a dataset, newest first',
          tags,
          querystring: ProfilesQuery,
          response: { 200: ProfilePageSchema },
        },
      },
      (request) => profiles.list(request.query),
    );
    app.get(
      '/profiles/:runId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getProfile',
          summary: 'Get a profile of all samples: its run and, once completed, the results',
          tags,
          params: ProfileParams,
          response: { 200: ProfileRunSchema },
        },
      },
      (request) => profiles.get(request.params.runId),
    );
    app.post(
      '/profiles/:runId/stop',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'stopProfile',
          summary: 'Stop a profile of all samples',
          tags,
          params: ProfileParams,
          response: { 200: ProfileRunSchema },
        },
      },
      (request) => profiles.stop(request.params.runId),
    );
    app.post(
      '/profiles/:runId/resume',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'resumeProfile',
          summary: 'Resume a profile that failed or was stopped, in a new run',
          tags,
          params: ProfileParams,
          response: { 201: ProfileRunSchema },
        },
      },
      (request) => profiles.resume(request.params.runId, request.principal.username),
    );
  };
}
