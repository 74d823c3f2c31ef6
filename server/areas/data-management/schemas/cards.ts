import { Type, type Static } from 'typebox';
import { IdSchema, named, namedObject, nullable, TimestampSchema } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';

export const CardQuery = FileQuery;

export const CroissantSchema = named(
  'Croissant',
  Type.Record(Type.String(), Type.Unknown(), {
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
        Type.String({ description: 'Name in the header, where that stands twice or is empty: no field of Croissant' }),
      ),
    }),
  ),
  rows: nullable(Type.Integer({ description: 'Null until its index is ready' })),
  problem: nullable(Type.String({ description: 'Why its columns are not known' })),
});
export type CardTable = Static<typeof CardTableSchema>;

const CardSplitSchema = namedObject('DatasetCardSplit', {
  name: Type.String({ description: 'train, validation, test, or a word of the path that stands for one' }),
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
  license: nullable(Type.String({ description: 'Of the dataset; otherwise the one that its README names' })),
  citation: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  fileCount: Type.Integer(),
  totalSize: Type.Integer(),
  readme: Type.Union(
    [
      namedObject('DatasetReadme', {
        fileId: IdSchema,
        path: Type.String(),
        text: Type.String({ description: 'Without the block of YAML at its beginning' }),
        cut: Type.Boolean({ description: 'Longer than 256 KiB: only the beginning' }),
      }),
      Type.Null(),
    ],
    { description: 'README.md at the root of the version, or another spelling of it' },
  ),
  splits: Type.Array(CardSplitSchema, {
    description: 'Files that belong together by their paths; empty if none says so',
  }),
  tables: Type.Array(CardTableSchema, { description: 'Of at most 50 files, in the order of their paths' }),
  tableCount: Type.Integer({ description: 'Tables; beyond the first 50 files, a workbook counts as one' }),
});
export type Card = Static<typeof CardSchema>;
