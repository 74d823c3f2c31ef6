import { Type, type Static } from 'typebox';
import { codeFields, DocumentReceiptSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';

export const FilePreviewQuery = Type.Object({
  ...FileQuery.properties,
  maxBytes: Type.Integer({
    minimum: 1,
    maximum: 8 << 20,
    default: 1 << 20,
    description: 'Bytes of content to read from the beginning; of a document, of its text',
  }),
});
export type FilePreviewQuery = Static<typeof FilePreviewQuery>;

const DelimitedDialect = namedObject('DelimitedDialect', {
  delimiter: Type.String(),
  lineEnd: oneOf('DelimitedLineEnd', ['\n', '\r'], { description: 'Also where a CR precedes it' }),
  hasQuotes: Type.Boolean({ description: 'Whether quotes enclose cells; otherwise they are ordinary characters' }),
  hasSeparatorLine: Type.Boolean({ description: 'Whether a line `sep=…` precedes the header' }),
  columns: Type.Array(Type.String(), { description: 'The header' }),
});

export const FilePreviewSchema = namedObject('FilePreview', {
  form: nullable(
    oneOf('FilePreviewForm', ['JSONL', 'CSV', 'TSV', 'TEXT'], {
      description: 'Layout of `text`. The rows of Parquet files and JSON arrays are JSONL; documents are TEXT',
    }),
  ),
  encoding: nullable(Type.String({ description: 'In which the content was read; null for Parquet and documents' })),
  text: nullable(Type.String({ description: 'May end within a line or row if it is not all' })),
  dialect: Type.Union([DelimitedDialect, Type.Null()], {
    description: 'How a run reads a CSV or TSV file, as far as its beginning tells; null for any other form',
  }),
  isWhole: Type.Boolean({ description: 'Whether `text` is all of the content' }),
  receipt: Type.Union([DocumentReceiptSchema, Type.Null()]),
  problem: nullable(Type.String({ description: 'Why there is no text, or none after this one' })),
  ...codeFields('problem'),
});
export type FilePreview = Static<typeof FilePreviewSchema>;
