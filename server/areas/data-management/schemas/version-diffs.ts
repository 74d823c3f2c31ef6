import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

const VersionFileSchema = namedObject('VersionFile', {
  id: IdSchema,
  filePath: Type.String(),
  fileSize: Type.Integer({ description: 'Bytes' }),
  sha256: nullable(Type.String({ description: 'SHA-256 of the content; null until computed' })),
  uploadTime: TimestampSchema,
  uploadedBy: Type.String({ description: 'User name' }),
});
export type VersionFile = Static<typeof VersionFileSchema>;

const FileChangeKindSchema = oneOf('VersionFileChangeKind', ['ADDED', 'CHANGED', 'MOVED', 'REMOVED']);

const VersionFileChangeSchema = namedObject('VersionFileChange', {
  change: FileChangeKindSchema,
  filePath: Type.String({ description: 'Path at `to`; for a removed file, at `from`' }),
  before: Type.Union([VersionFileSchema, Type.Null()], { description: 'At `from`; null for an added file' }),
  after: Type.Union([VersionFileSchema, Type.Null()], { description: 'At `to`; null for a removed file' }),
});
export type VersionFileChange = Static<typeof VersionFileChangeSchema>;

export const VersionDiffSchema = namedObject('VersionDiff', {
  from: Type.Integer(),
  to: Type.Integer(),
  summary: namedObject('VersionDiffSummary', {
    added: Type.Integer(),
    changed: Type.Integer({ description: 'Files with different content' }),
    moved: Type.Integer({ description: 'Files with the same content at another path' }),
    removed: Type.Integer(),
    bytesBefore: Type.Integer({ description: 'Size of these files at `from`' }),
    bytesAfter: Type.Integer({ description: 'Size of these files at `to`' }),
  }),
  ...pageOf(VersionFileChangeSchema).properties,
});
export type VersionDiff = Static<typeof VersionDiffSchema>;

export const VersionDiffQuery = Type.Object({
  ...pageQuery,
  from: Type.Integer({ minimum: 1, description: 'Version to compare with' }),
  to: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Default: the current version; may be older than `from`' }),
  ),
  change: Type.Optional(FileChangeKindSchema),
  prefix: Type.Optional(Type.String({ description: 'Folder: only files that are or were below it' })),
});
export type VersionDiffQuery = Static<typeof VersionDiffQuery>;
