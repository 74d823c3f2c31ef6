import { Type, type Static } from 'typebox';
import { UploadStatusSchema } from './uploads.ts';

/** The upload fields that an event contains. */
export const UploadProgressSchema = Type.Pick(UploadStatusSchema, [
  'reqId',
  'uploadCompleted',
  'totalFileNum',
  'completedFiles',
  'totalSize',
  'receivedBytes',
  'archives',
]);
export type UploadProgress = Static<typeof UploadProgressSchema>;

export const UploadEventsQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({
      description: 'ID of the last received event, for clients that cannot send the header Last-Event-ID',
    }),
  ),
});

const UploadEventSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'Events by name: `progress` after each change (at most 2 per second), and finally `end`. Their data is JSON: `reqId, ' +
    'uploadCompleted, totalFileNum, completedFiles, totalSize, receivedBytes, archives` as in the status of the upload; the `files`, ' +
    '`bytes` and `refused` of an archive grow while it is unpacked. After 15 s without an event, a line that starts with a colon is sent.',
});

export const uploadEventResponses = {
  200: {
    description: 'Events until the upload is complete and its archives are unpacked',
    content: { 'text/event-stream': { schema: UploadEventSchema } },
  },
  204: Type.Null({
    description: 'The upload has ended and Last-Event-ID is its last event; browsers stop reconnecting',
  }),
};
