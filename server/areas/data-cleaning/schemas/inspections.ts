import { type Static, Type } from 'typebox';
import { codeFields, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { NewInputSchema, newSourceFields } from './tasks.ts';

export const InspectionBody = namedObject('CleaningInspectionRequest', {
  ...newSourceFields,
  input: Type.Optional(NewInputSchema),
});

export type InspectionRequest = Static<typeof InspectionBody>;

const encodingFields = {
  encoding: nullable(Type.String({ description: 'Detected from the first bytes, or set by `input.encoding`' })),
  certainty: nullable(
    oneOf('EncodingCertainty', ['CERTAIN', 'LIKELY', 'UNSURE', 'GIVEN'], {
      description: 'How sure the encoding is; GIVEN: by `input.encoding`',
    }),
  ),
  problem: nullable(Type.String({ description: 'Why the file can not be read, as far as its first bytes tell' })),
  ...codeFields('problem'),
};

export const InspectionSchema = namedObject('CleaningInspection', {
  sourceVersion: Type.Integer({ description: 'Source version that was inspected' }),
  folders: Type.Array(Type.String(), { description: 'Of several sources, the folder of each, the first source first' }),
  fileTypes: Type.Array(
    namedObject('InputFileType', {
      fileType: Type.String({ description: 'Extension; empty for files without one' }),
      kind: oneOf('InputKind', ['TABLE', 'TEXT', 'DOCUMENT', 'MEDIA', 'COMPRESSED', 'UNSUPPORTED'], {
        description:
          'TABLE: its rows are samples. TEXT: a whole text, if its bytes are text. DOCUMENT: converted to text. MEDIA: skipped unless a step processes ' +
          'media. COMPRESSED: gzip, Zstandard or bzip2; `tables` and `texts` tell what is inside. UNSUPPORTED: a failed sample each',
      }),
      files: Type.Integer(),
      sizeBytes: Type.Integer(),
    }),
    { description: 'All selected files by type' },
  ),
  tables: Type.Array(
    namedObject('InputTable', {
      filePath: Type.String({ description: 'Of several sources with the folder of its source' }),
      sizeBytes: Type.Integer(),
      ...encodingFields,
      columns: Type.Array(
        namedObject('TextColumn', {
          name: Type.String({ description: 'Column, or path into the row, as in `input.textFields`' }),
          example: nullable(Type.String({ description: 'Beginning of its first value' })),
        }),
        { description: 'Columns and paths that hold text, from the first rows' },
      ),
      guess: nullable(Type.String({ description: 'The text column that is detected if `input` names none' })),
      fields: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description:
          'Text columns that a task with this `input` reads; null: it has to name one, or is refused, unless the table is empty',
      }),
      isEmpty: Type.Boolean({
        description: 'Whether it has no rows: there is nothing to choose. Of Parquet files always false',
      }),
      isExcluded: Type.Boolean({ description: 'Whether `input.exclude` leaves it out' }),
    }),
    { description: 'The first 100 tables of each source, by path' },
  ),
  uncheckedTables: Type.Integer({ description: 'Further tables, which were not inspected' }),
  texts: Type.Array(
    namedObject('InputText', { filePath: Type.String(), sizeBytes: Type.Integer(), ...encodingFields }),
    {
      description:
        'Of the first 200 texts and documents: those that can not be read, and those whose encoding is a guess',
    },
  ),
  uncheckedTexts: Type.Integer({ description: 'Further texts and documents, which were not inspected' }),
});

export type Inspection = Static<typeof InspectionSchema>;
