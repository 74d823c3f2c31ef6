import { Type, type Static } from 'typebox';
import { UploadStatusSchema } from './uploads.ts';

/** What an event tells of an upload. */
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
    Type.String({ description: 'Id of the last event that was heard, for who cannot send the header Last-Event-ID' }),
  ),
});

const UploadEventSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'Events by name: `progress` each time something has changed (at most 2 a second), at last `end`. Their data is JSON: `reqId, ' +
    'uploadCompleted, totalFileNum, completedFiles, totalSize, receivedBytes, archives` as in the status of the upload; the `files`, ' +
    '`bytes` and `refused` of an archive count on while it is being unpacked. A line that starts with a colon comes every 15 s without an event.',
});

export const uploadEventResponses = {
  200: {
    description: 'What happens to the upload, until it is complete and its archives are unpacked',
    content: { 'text/event-stream': { schema: UploadEventSchema } },
  },
  204: Type.Null({ description: 'The upload is over and Last-Event-ID is its end: browsers ask no more' }),
};
