import { Type, type Static } from 'typebox';
import { IdSchema, named, namedObject, nullable, TimestampSchema } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const CardQuery = FileQuery;

export const CroissantSchema = named(
  'Croissant',
  recordOf(Type.Unknown(), {
    description: 'JSON-LD of the Croissant format, version 1.0 (https://docs.mlcommons.org/croissant)',
  }),
);
export type Croissant = Static<typeof CroissantSchema>;

const CardTableSchema = namedObject('DatasetCardTable', {
  fileId: IdSchema,
  path: Type.String(),
  sheet: Type.Optional(Type.String({ description: 'Sheet of a workbook; each is a table' })),
  columns: Type.Array(
    namedObject('DatasetCardColumn', {
      name: Type.String(),
      type: Type.String(),
      given: Type.Optional(
        Type.String({
          description: 'Name in the header if it is a duplicate or empty; such a column is not a Croissant field',
        }),
      ),
    }),
  ),
  rows: nullable(Type.Integer({ description: 'Null until its index is ready' })),
  problem: nullable(Type.String({ description: 'Why its columns are not known' })),
});
export type CardTable = Static<typeof CardTableSchema>;

const CardSplitSchema = namedObject('DatasetCardSplit', {
  name: Type.String({ description: 'train, validation, test, or a word in the path that means one of them' }),
  files: Type.Integer(),
  bytes: Type.Integer(),
});
export type CardSplit = Static<typeof CardSplitSchema>;

export const CardSchema = namedObject('DatasetCard', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  version: Type.Integer(),
  versionName: nullable(Type.String()),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  license: nullable(Type.String({ description: 'Licence of the dataset, or else the one that its README names' })),
  citation: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  fileCount: Type.Integer(),
  totalSize: Type.Integer(),
  readme: Type.Union(
    [
      namedObject('DatasetReadme', {
        fileId: IdSchema,
        path: Type.String(),
        text: Type.String({ description: 'Without the YAML block at the beginning' }),
        cut: Type.Boolean({ description: 'Longer than 256 KiB: only the beginning' }),
      }),
      Type.Null(),
    ],
    { description: 'README.md at the root of the version, or another spelling of it' },
  ),
  splits: Type.Array(CardSplitSchema, {
    description: 'Files grouped by their paths; empty if no path indicates a split',
  }),
  tables: Type.Array(CardTableSchema, { description: 'Tables of at most 50 files, in path order' }),
  tableCount: Type.Integer({ description: 'Number of tables; beyond the first 50 files, a workbook counts as one' }),
});
export type Card = Static<typeof CardSchema>;
