import { lastEventIdOf } from '../../http/event-stream.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { UploadEventsQuery, uploadEventResponses } from './schemas/upload-events.ts';
import { UploadParams } from './schemas/uploads.ts';
import type { UploadEvents } from './uploads/upload-events.ts';

/** Live progress of an upload and its archives. */
export function uploadEventRoutes({ uploadEvents }: { uploadEvents: UploadEvents }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/files/upload/:reqId/events',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'followUpload',
          summary: 'Follow an upload and the unpacking of its archives live: server-sent events',
          description:
            'Resumes after `Last-Event-ID`, even across restarts of the service. The stream ends after the event `end`, when the upload is ' +
            'abandoned or expires, and within seconds when its credential does.',
          tags: ['Uploads'],
          params: UploadParams,
          querystring: UploadEventsQuery,
          response: uploadEventResponses,
        },
      },
      async (request, reply) => {
        const { datasetId, reqId } = request.params;
        const lastEventId = lastEventIdOf(request) ?? request.query.lastEventId;
        const feed = await uploadEvents.follow(datasetId, reqId, lastEventId);
        return request.server.eventStreams.open(request, reply, feed);
      },
    );
  };
}
