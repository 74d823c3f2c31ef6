import { Type, type Static } from 'typebox';
import {
  IdSchema,
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
  nameIsReserved: Type.Boolean({
    description:
      "Whether the name means something else as a revision (a number, `vN`, `main`, 40 hex digits): the version is reached by its number alone. New names can't be reserved ones",
  }),
  message: nullable(Type.String()),
  ...codeFields('message'),
  uploadId: nullable(Type.String({ description: 'Request ID of the upload that created this version' })),
  open: Type.Boolean({
    description:
      'Whether an upload is still adding files. The version becomes final when the upload ends, something else is committed, a run or a ZIP download reads it, or it is named',
  }),
  filesAdded: Type.Integer({ description: 'Added or changed files' }),
  filesEnded: Type.Integer({ description: 'Removed or changed files' }),
  fileCount: Type.Integer({ description: 'Files of the dataset at this version' }),
  totalSize: Type.Integer({ description: 'Total size of these files' }),
  createdAt: TimestampSchema,
  createdBy: Type.String({ description: 'Username; for a run, of the user who started it' }),
  run: Type.Union(
    [
      namedObject('VersionRun', {
        id: IdSchema,
        area: Type.String({ description: 'Prefix of the area: data-cleaning, data-collection …' }),
        taskId: IdSchema,
        taskName: Type.String(),
        number: Type.Integer({ description: 'Number of the run within its task; 0 if unknown' }),
        isStored: Type.Boolean({ description: 'Whether the run can still be viewed' }),
      }),
      Type.Null(),
    ],
    { description: 'The run that created the version; null if a user did' },
  ),
});
export type Version = Static<typeof VersionSchema>;

export const VersionPageSchema = pageOf(VersionSchema);

export const VersionsQuery = Type.Object({ ...pageQuery, sort: sortQuery('DatasetVersionSort', ['version']) });
export type VersionsQuery = Static<typeof VersionsQuery>;

export const VersionNameBody = namedObject(
  'VersionName',
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    message: Type.Optional(Type.String({ maxLength: 500 })),
  },
  // A caller that sends a version number means another version than the current one.
  { additionalProperties: false },
);
export type VersionName = Static<typeof VersionNameBody>;

export const RestoreBody = namedObject('VersionRestore', {
  version: Type.Integer({ minimum: 1, description: 'The version to restore' }),
  message: Type.Optional(Type.String({ maxLength: 500, description: 'Message of the new version' })),
});
export type RestoreRequest = Static<typeof RestoreBody>;

export const PruneBody = namedObject(
  'VersionPruning',
  {
    keepLast: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Number of newest versions to keep; default: those that `before` keeps',
      }),
    ),
    before: Type.Optional(
      Type.String({ format: 'date-time', description: 'Keep versions created at this time or later' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only report what would be deleted' })),
  }, // A misspelled `dryRun` must not delete.
  { additionalProperties: false },
);
export type PruneRequest = Static<typeof PruneBody>;

export const PrunedSchema = namedObject('PrunedVersions', {
  dryRun: Type.Boolean(),
  versions: Type.Integer({ description: 'Deleted versions' }),
  files: Type.Integer({ description: 'Deleted file states that only the deleted versions had' }),
  bytes: Type.Integer({ description: 'Bytes of content that nothing else uses; the disk space is freed soon after' }),
  keptNamed: Type.Integer({ description: 'Old versions that were kept because they have a name' }),
  keptUsed: Type.Integer({ description: 'Old versions that were kept because a stored run read them' }),
});
export type Pruned = Static<typeof PrunedSchema>;
