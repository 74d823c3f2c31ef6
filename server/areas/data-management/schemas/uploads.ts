import { Type, type Static } from 'typebox';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  sentencesOf,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { FileSchema } from './files.ts';

export const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;

export const conflictPolicy = (options: { default?: 'REPLACE' } = {}) =>
  oneOf('ConflictPolicy', conflictPolicies, {
    description:
      'If a file exists: REPLACE it (older versions keep its content), RENAME the new file to the next free name, or ERROR with 409 FILE_ALREADY_EXISTS',
    ...options,
  });

export const unpackPlaces = ['PREFIX', 'FOLDER'] as const;

const unpackPlace = () =>
  oneOf('UnpackPlace', unpackPlaces, {
    description:
      'Where to unpack an archive: into its own folder (PREFIX), or into a new folder named like the archive without extension (FOLDER)',
  });

const nameEncoding = () =>
  Type.String({
    maxLength: 40,
    description:
      'Encoding of archive entry names that are not declared as Unicode, as a label of the WHATWG Encoding Standard (gbk, shift_jis, big5, euc-kr …), a code page of DOS (cp437, cp720, cp737, cp775, cp850, cp852, cp857, cp862) or of Windows (cp874, cp932, cp936, cp949, cp950). By default, it is guessed for each zip from all its names with the languages of `Accept-Language` as a hint, and such names in a tar must be UTF-8',
  });

export const AnnouncementBody = namedObject('UploadAnnouncement', {
  totalFileNum: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Number of files of the upload' }),
  totalSize: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Total bytes of all files; further bytes are refused',
  }),
  hasArchive: Type.Optional(Type.Boolean({ description: 'Unpack files whose content is zip, tar or tar.gz' })),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset for the files' })),
  chunkSize: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Size of every chunk of a file except the last; at most 64 MiB' }),
  ),
  onConflict: Type.Optional(conflictPolicy()),
  unpackInto: Type.Optional(unpackPlace()),
  nameEncoding: Type.Optional(nameEncoding()),
});
export type Announcement = Static<typeof AnnouncementBody>;

export const ReqIdSchema = Type.String({ description: 'The request ID to send with each chunk' });

export const ChunkAnswerSchema = namedObject('ChunkAnswer', {
  reqId: IdSchema,
  fileNo: Type.Integer(),
  fileName: Type.String(),
  chunkNo: Type.Integer(),
  totalChunkNum: Type.Integer(),
  receivedChunks: Type.Integer({ description: 'Received chunks of this file, including this one' }),
  fileCompleted: Type.Boolean(),
  uploadCompleted: Type.Boolean({ description: 'All announced files are complete' }),
  file: Type.Optional(FileSchema),
  warnings: Type.Optional(Type.Array(Type.String())),
});
export type ChunkAnswer = Static<typeof ChunkAnswerSchema>;

const binary = (description: string) => Type.Unsafe<never>({ type: 'string', format: 'binary', description });

export const ChunkFormSchema = namedObject('ChunkForm', {
  reqId: Type.String({ description: 'Request ID returned by pre-upload' }),
  fileNo: Type.Integer({ minimum: 0, description: 'Number of the file within the upload' }),
  fileName: Type.String({ description: 'Name or relative path of the file' }),
  totalChunkNum: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Number of chunks of the file' }),
  chunkNo: Type.Integer({ minimum: 1, description: 'Current chunk, starting from 1' }),
  file: binary('Bytes of the chunk, at most 64 MiB'),
  checkSumHex: Type.Optional(
    Type.String({ description: 'Checksum of the chunk: CRC-32, MD5, SHA-1 or SHA-256 by its length (8, 32, 40, 64)' }),
  ),
});

export const WholeFilesFormSchema = namedObject('FilesForm', {
  files: Type.Array(binary('One file'), { minItems: 1 }),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset for the files' })),
  onConflict: Type.Optional(conflictPolicy()),
});

export const ArchiveBodySchema = binary('The archive');

const rangeSchema = namedObject('NumberRange', { from: Type.Integer(), to: Type.Integer() });

const refusalsSchema = Type.Array(
  namedObject('Refusal', { path: Type.String(), reason: Type.String(), ...codeFields('reason') }),
  {
    description: 'The first entries not stored, with reasons',
  },
);

const paths = (description: string) => Type.Array(Type.String(), { description: `The first 100: ${description}` });

/** Effects of archive entries on other files. */
const effectsSchemas = {
  replaced: Type.Integer({
    description: 'Entries that replaced a file; older versions keep its content',
  }),
  replacedPaths: paths('paths of replaced files'),
  renamed: Type.Integer({ description: 'Entries renamed because their name was in use' }),
  renames: Type.Array(namedObject('RenamedEntry', { path: Type.String(), renamedTo: Type.String() }), {
    description: 'The first 100',
  }),
  overwritten: Type.Integer({
    description: 'Entries overwritten by a later entry of the same path; not counted in files',
  }),
  overwrittenPaths: paths('paths that came more than once'),
  folders: Type.Integer({ description: 'Empty folders created; not counted in files' }),
  nameEncoding: nullable(
    Type.String({
      description: 'Encoding used for names that are not declared as Unicode; null if there are none',
    }),
  ),
  guessedNames: Type.Integer({
    description: 'Entries whose names were decoded with a guessed encoding; set nameEncoding if they are wrong',
  }),
  warnings: Type.Array(Type.String(), {
    description: 'Inconsistencies of the archive that did not prevent reading its entries',
  }),
  warningSentences: sentencesOf('warnings'),
};

export const UploadParams = Type.Object({ datasetId: IdSchema, reqId: IdSchema });

export const UploadStatusQuery = Type.Object({
  fromFileNo: Type.Integer({ minimum: 0, default: 0, description: 'First file number of the lists' }),
});

export const UploadStatusSchema = namedObject('Upload', {
  reqId: IdSchema,
  datasetId: IdSchema,
  hasArchive: Type.Boolean(),
  totalFileNum: Type.Integer(),
  totalSize: Type.Integer(),
  prefix: Type.String(),
  chunkSize: nullable(Type.Integer()),
  onConflict: oneOf('ConflictPolicy', conflictPolicies),
  unpackInto: oneOf('UnpackPlace', unpackPlaces),
  nameEncoding: nullable(
    Type.String({ description: 'Encoding for archive names that are not declared as Unicode, if set' }),
  ),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  expiresAt: TimestampSchema,
  uploadCompleted: Type.Boolean(),
  completedFiles: Type.Integer(),
  incompleteFiles: Type.Integer({ description: 'Partly received files' }),
  missingFiles: Type.Integer({ description: 'Files not yet received' }),
  receivedBytes: Type.Integer(),
  completed: Type.Array(rangeSchema, { description: 'Numbers of completed files from fromFileNo on, as ranges' }),
  incomplete: Type.Array(
    namedObject('IncompleteFile', {
      fileNo: Type.Integer(),
      fileName: Type.String(),
      totalChunkNum: Type.Integer(),
      chunkSize: nullable(Type.Integer({ description: 'Size of every chunk except the last, once known' })),
      receivedChunks: Type.Integer(),
      receivedBytes: Type.Integer(),
      missingChunks: Type.Array(rangeSchema, { description: 'The first 1,000 missing chunks, as ranges' }),
    }),
  ),
  nextFileNo: nullable(Type.Integer({ description: 'fromFileNo of the next part of the lists; null at their end' })),
  archives: Type.Array(
    namedObject('ArchiveReceipt', {
      fileNo: Type.Integer(),
      filePath: Type.String(),
      status: oneOf('ArchiveStatus', ['PROCESSING', 'UNPACKED', 'ERROR', 'NOT_AN_ARCHIVE']),
      files: Type.Integer({ description: 'Entries stored' }),
      bytes: Type.Integer(),
      refused: Type.Integer({ description: 'Entries not stored' }),
      refusals: refusalsSchema,
      ...effectsSchemas,
      error: nullable(Type.String()),
      ...codeFields('error'),
    }),
    { description: 'Outcome of the first 200 archives of the upload' },
  ),
});
export type UploadStatus = Static<typeof UploadStatusSchema>;
export type ArchiveReceipt = UploadStatus['archives'][number];
export type IncompleteFile = UploadStatus['incomplete'][number];

export const ArchiveStreamQuery = Type.Object({
  format: oneOf('ArchiveFormat', ['tar', 'zip'], { description: 'tar may be compressed with gzip' }),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset for the entries' })),
  onConflict: Type.Optional(conflictPolicy()),
  unpackInto: Type.Optional(unpackPlace()),
  fileName: Type.Optional(
    Type.String({ description: 'Name of the archive; names the folder if unpackInto is FOLDER' }),
  ),
  nameEncoding: Type.Optional(nameEncoding()),
});

export const ArchiveStreamAnswerSchema = namedObject('ArchiveAnswer', {
  files: Type.Integer({ description: 'Entries stored' }),
  bytes: Type.Integer(),
  failed: Type.Integer({ description: 'Entries not stored' }),
  failures: refusalsSchema,
  ...effectsSchemas,
});
export type ArchiveStreamAnswer = Static<typeof ArchiveStreamAnswerSchema>;
