import { Type, type Static } from 'typebox';
import { IdSchema, namedObject } from '../../../http/schemas.ts';
import { FileSchema } from './files.ts';

export const FileGroupFormSchema = namedObject('SmallFilesForm', {
  fileNo: Type.Integer({ minimum: 0, description: 'Number of the file within the upload; precedes each file' }),
  fileName: Type.String({ description: 'Name or relative path of the file; precedes each file' }),
  checkSumHex: Type.Optional(
    Type.String({
      description: 'Checksum of the file; precedes it. CRC-32, MD5, SHA-1 or SHA-256 by its length (8, 32, 40, 64)',
    }),
  ),
  file: Type.Unsafe<never>({
    type: 'string',
    format: 'binary',
    description: 'Content of the file, at most one chunk, after its fields. The four parts repeat for each file',
  }),
});

export const FileOutcomeSchema = namedObject('FileOutcome', {
  fileNo: Type.Integer(),
  fileName: Type.String(),
  fileCompleted: Type.Boolean(),
  file: Type.Optional(FileSchema),
  error: Type.Optional(
    namedObject(
      'FileRefusal',
      { error: Type.String({ description: 'Identifier, such as FILE_ALREADY_EXISTS' }), message: Type.String() },
      { description: 'Why this file was refused; other files are not affected' },
    ),
  ),
});
export type FileOutcome = Static<typeof FileOutcomeSchema>;

export const FileGroupAnswerSchema = namedObject('SmallFilesAnswer', {
  reqId: IdSchema,
  uploadCompleted: Type.Boolean({ description: 'All announced files are complete' }),
  files: Type.Array(FileOutcomeSchema, { description: 'Outcome of each file, in the order of the form' }),
  warnings: Type.Optional(Type.Array(Type.String())),
});
export type FileGroupAnswer = Static<typeof FileGroupAnswerSchema>;
