import { Type, type Static } from 'typebox';
import { codeFields, IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';

const quantiles = namedObject(
  'ContentQuantiles',
  Object.fromEntries(['p0', 'p5', 'p25', 'p50', 'p75', 'p95', 'p100'].map((name) => [name, Type.Number()])) as Record<
    'p0' | 'p5' | 'p25' | 'p50' | 'p75' | 'p95' | 'p100',
    ReturnType<typeof Type.Number>
  >,
);

const DistributionSchema = namedObject('ContentDistribution', {
  total: Type.Number({ description: 'Sum of all values' }),
  mean: nullable(Type.Number()),
  quantiles: Type.Union([quantiles, Type.Null()], {
    description: 'The lowest and highest are exact, the others within 1 %; null without values',
  }),
  histogram: Type.Array(
    namedObject('ContentHistogramBin', { from: Type.Number(), to: Type.Number(), count: Type.Integer() }),
    { description: 'Contiguous; `to` is exclusive. Bins of large values are wider' },
  ),
});

const TextsSchema = namedObject('ContentTexts', {
  texts: Type.Integer({
    description: 'Number of texts: text files, documents, and the texts of one field of each table',
  }),
  empty: Type.Integer({ description: 'Empty texts and rows without text' }),
  repeated: Type.Integer({ description: 'Exact duplicates of an earlier text in the same file' }),
  fields: Type.Array(
    namedObject('ContentTextField', {
      field: Type.String({ description: 'A column, or a path into rows: `messages[*].content`' }),
      isDetected: Type.Boolean({
        description:
          'Whether a task uses it by default. If not, several columns or paths may contain the text and a task must name one; this one has the most text in the first rows',
      }),
      tables: Type.Integer({ description: 'Tables whose texts are counted from this field; a sheet is a table' }),
    }),
    { description: 'The most frequent fields that contain the texts of tables' },
  ),
  otherTables: Type.Integer({ description: 'Tables whose texts are in other fields' }),
  characters: DistributionSchema,
  // In o200k_base, as chunks are measured.
  tokens: DistributionSchema,
  languages: Type.Array(namedObject('ContentLanguage', { language: Type.String(), count: Type.Integer() }), {
    description: 'ISO 639-1 code, `und` if it cannot be determined; as detected by the operator `language-filter`',
  }),
});

const ColumnTotalsSchema = namedObject('ContentColumn', {
  name: Type.String(),
  type: Type.String(),
  files: Type.Integer({ description: 'Tables that have it with this type; a sheet is a table' }),
  rows: Type.Integer({ description: 'Their readable rows' }),
  nulls: Type.Integer({ description: 'Rows without a value' }),
  distinct: nullable(
    Type.Integer({ description: 'Estimated number of distinct values; null if several tables have the column' }),
  ),
  textFiles: Type.Integer({
    description: 'Tables whose texts are counted from this column, or from a path into it',
  }),
});

const ImagesSchema = namedObject('ContentImages', {
  images: Type.Integer(),
  formats: Type.Array(namedObject('ContentImageFormat', { format: Type.String(), count: Type.Integer() })),
  resolutions: Type.Array(
    namedObject('ContentResolution', { width: Type.Integer(), height: Type.Integer(), count: Type.Integer() }),
    { description: 'The most frequent ones' },
  ),
  otherResolutions: Type.Integer({ description: 'Pictures of other resolutions' }),
  width: DistributionSchema,
  height: DistributionSchema,
  aspects: Type.Array(
    namedObject('ContentAspect', {
      aspect: oneOf('ImageAspect', ['TALL', 'PORTRAIT', 'SQUARE', 'LANDSCAPE', 'WIDE']),
      count: Type.Integer(),
    }),
    { description: 'Width by height: below 0.5, below 0.95, to 1.05, to 2, above' },
  ),
});

const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const ContentStatisticsSchema = namedObject('ContentStatistics', {
  version: Type.Integer({ description: 'The version that is counted' }),
  state: oneOf('ContentStatisticsState', ['COUNTING', 'READY']),
  total: Type.Integer({ description: 'Files of the version' }),
  counted: Type.Integer({ description: 'Files processed so far, including those that cannot be counted' }),
  contents: orNull(
    namedObject('DatasetContents', {
      kinds: Type.Array(
        namedObject('ContentKindCount', {
          kind: oneOf('ContentKind', ['TABLE', 'TEXT', 'DOCUMENT', 'IMAGE', 'OTHER']),
          files: Type.Integer(),
          sizeBytes: Type.Integer(),
        }),
        { description: 'For OTHER files, only number and size are counted' },
      ),
      repeatedFiles: namedObject(
        'RepeatedFiles',
        { files: Type.Integer(), sizeBytes: Type.Integer() },
        { description: 'Files with the same bytes (SHA-256) as another file, not counting the first of each content' },
      ),
      texts: orNull(TextsSchema, 'Null without texts'),
      table: orNull(
        namedObject('ContentTables', {
          rows: Type.Integer(),
          unreadable: Type.Integer({ description: 'Unreadable rows' }),
          columns: Type.Array(ColumnTotalsSchema),
          omittedColumns: Type.Integer({ description: 'Columns beyond 1,000' }),
        }),
        'Null without tables',
      ),
      images: orNull(ImagesSchema, 'Null without pictures'),
      failed: namedObject('UncountedFiles', {
        files: Type.Integer({ description: 'Files that cannot be counted' }),
        shown: Type.Array(
          namedObject('UncountedFile', {
            fileId: IdSchema,
            filePath: Type.String(),
            reason: Type.String(),
            ...codeFields('reason'),
          }),
          { description: 'The first 100' },
        ),
      }),
    }),
    'Null until all files are counted',
  ),
});
export type ContentStatistics = Static<typeof ContentStatisticsSchema>;
