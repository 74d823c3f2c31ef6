import { Type, type Static } from 'typebox';
import { codeFields, DocumentReceiptSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';

export const FilePreviewQuery = Type.Object({
  ...FileQuery.properties,
  maxBytes: Type.Integer({
    minimum: 1,
    maximum: 8 << 20,
    default: 1 << 20,
    description: 'Bytes to read from the beginning of the content, or of the text of a document',
  }),
});
export type FilePreviewQuery = Static<typeof FilePreviewQuery>;

const DelimitedDialect = namedObject('DelimitedDialect', {
  delimiter: Type.String(),
  lineEnd: oneOf('DelimitedLineEnd', ['\n', '\r'], { description: 'Also if a CR precedes it' }),
  hasQuotes: Type.Boolean({ description: 'Whether quotes enclose cells; otherwise they are ordinary characters' }),
  hasSeparatorLine: Type.Boolean({ description: 'Whether a line `sep=…` precedes the header' }),
  hasEscapes: Type.Boolean({ description: 'Whether backslashes escape quotes within quotes, too' }),
  endsAtReturns: Type.Boolean({ description: 'Whether a CR alone ends rows, beside `lineEnd`' }),
  above: Type.Array(Type.String(), {
    description: 'Beginnings of the lines above the header that are not part of the table: titles, comments, `sep=…`',
  }),
  columns: Type.Array(Type.String(), { description: 'The header' }),
});

export const FilePreviewSchema = namedObject('FilePreview', {
  form: nullable(
    oneOf('FilePreviewForm', ['JSONL', 'CSV', 'TSV', 'TEXT'], {
      description: 'Layout of `text`. The rows of Parquet files and JSON arrays are JSONL; documents are TEXT',
    }),
  ),
  encoding: nullable(
    Type.String({ description: 'Encoding in which the content was read; null for Parquet and documents' }),
  ),
  text: nullable(Type.String({ description: 'If incomplete, may end within a line or row' })),
  dialect: Type.Union([DelimitedDialect, Type.Null()], {
    description: 'How a run reads a CSV or TSV file, judging by its beginning; null for other formats',
  }),
  isWhole: Type.Boolean({ description: 'Whether `text` is the whole content' }),
  receipt: Type.Union([DocumentReceiptSchema, Type.Null()]),
  problem: nullable(Type.String({ description: 'Why there is no text, or no more text' })),
  ...codeFields('problem'),
});
export type FilePreview = Static<typeof FilePreviewSchema>;
