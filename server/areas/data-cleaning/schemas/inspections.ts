import { type Static, Type } from 'typebox';
import { codeFields, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { newSourceFields } from './sources.ts';
import { NewInputSchema } from './inputs.ts';

export const InspectionBody = namedObject('CleaningInspectionRequest', {
  ...newSourceFields,
  input: Type.Optional(NewInputSchema),
});

export type InspectionRequest = Static<typeof InspectionBody>;

const encodingFields = {
  encoding: nullable(Type.String({ description: 'Detected from the first bytes, or set by `input.encoding`' })),
  certainty: nullable(
    oneOf('EncodingCertainty', ['CERTAIN', 'LIKELY', 'UNSURE', 'GIVEN'], {
      description: 'Certainty of the encoding; GIVEN: set by `input.encoding`',
    }),
  ),
  problem: nullable(Type.String({ description: 'Why the file cannot be read, judging by its first bytes' })),
  ...codeFields('problem'),
};

export const InspectionSchema = namedObject('CleaningInspection', {
  sourceVersion: Type.Integer({ description: 'Source version that was inspected' }),
  folders: Type.Array(Type.String(), {
    description: 'With several sources, the folder of each; the first source comes first',
  }),
  fileTypes: Type.Array(
    namedObject('InputFileType', {
      fileType: Type.String({ description: 'Extension; empty for files without one' }),
      kind: oneOf('InputKind', ['TABLE', 'TEXT', 'DOCUMENT', 'MEDIA', 'COMPRESSED', 'UNSUPPORTED'], {
        description:
          'TABLE: its rows are samples. TEXT: one text, if its bytes are text. DOCUMENT: converted to text. MEDIA: skipped unless a step processes ' +
          'media. COMPRESSED: gzip, Zstandard or bzip2; `tables` and `texts` show its content. UNSUPPORTED: each file is a failed sample',
      }),
      files: Type.Integer(),
      sizeBytes: Type.Integer(),
    }),
    { description: 'All selected files by type' },
  ),
  tables: Type.Array(
    namedObject('InputTable', {
      filePath: Type.String({ description: 'With several sources, includes the folder of its source' }),
      sizeBytes: Type.Integer(),
      ...encodingFields,
      columns: Type.Array(
        namedObject('TextColumn', {
          name: Type.String({ description: 'Column, or path into the row, as in `input.textFields`' }),
          example: nullable(Type.String({ description: 'First characters of its first value' })),
        }),
        { description: 'Columns and paths that hold text, from the first rows' },
      ),
      guess: nullable(Type.String({ description: 'The text column that is detected if `input` names none' })),
      fields: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description:
          'Text columns that a task with this `input` reads; null: the task must name one or is refused, unless the table is empty',
      }),
      isEmpty: Type.Boolean({
        description: 'Whether it has no rows, so that no column needs to be chosen; always false for Parquet files',
      }),
      isExcluded: Type.Boolean({ description: 'Whether `input.exclude` excludes it' }),
    }),
    { description: 'The first 100 tables of each source, by path' },
  ),
  uncheckedTables: Type.Integer({ description: 'Further tables, which were not inspected' }),
  texts: Type.Array(
    namedObject('InputText', { filePath: Type.String(), sizeBytes: Type.Integer(), ...encodingFields }),
    {
      description: 'Those of the first 200 texts and documents that cannot be read or whose encoding is a guess',
    },
  ),
  uncheckedTexts: Type.Integer({ description: 'Further texts and documents, which were not inspected' }),
});

export type Inspection = Static<typeof InspectionSchema>;
