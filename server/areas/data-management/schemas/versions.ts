import { Type, type Static } from 'typebox';
import {
  codeFields,
  namedObject,
  nullable,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';

export const VersionSchema = namedObject('DatasetVersion', {
  version: Type.Integer({ description: '1 is the empty dataset' }),
  name: nullable(Type.String()),
  message: nullable(Type.String()),
  ...codeFields('message'),
  uploadId: nullable(Type.String({ description: 'Request ID of the upload that created this version' })),
  open: Type.Boolean({
    description:
      'An upload is still adding files. The version is closed, and never changes again, when the upload ends, something else is committed, a run or a ZIP reads it, or it gets a name',
  }),
  filesAdded: Type.Integer({ description: 'Added or changed files' }),
  filesEnded: Type.Integer({ description: 'Removed or changed files' }),
  fileCount: Type.Integer({ description: 'Files of the dataset at this version' }),
  totalSize: Type.Integer({ description: 'Total size of these files' }),
  createdAt: TimestampSchema,
  createdBy: Type.String({ description: 'User name' }),
});
export type Version = Static<typeof VersionSchema>;

export const VersionPageSchema = pageOf(VersionSchema);

export const VersionsQuery = Type.Object({ ...pageQuery, sort: sortQuery('DatasetVersionSort', ['version']) });
export type VersionsQuery = Static<typeof VersionsQuery>;

export const VersionNameBody = namedObject('VersionName', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  message: Type.Optional(Type.String({ maxLength: 500 })),
});
export type VersionName = Static<typeof VersionNameBody>;
