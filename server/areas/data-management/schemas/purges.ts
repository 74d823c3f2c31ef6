import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

export const PurgeBody = namedObject(
  'PurgeRequest',
  {
    fileIds: Type.Array(IdSchema, {
      minItems: 1,
      maxItems: 1_000,
      description: 'Files of the dataset, those of older versions included',
    }),
  },
  { additionalProperties: false },
);
export type PurgeRequest = Static<typeof PurgeBody>;

export const PurgesQuery = Type.Object(pageQuery);
export type PurgesQuery = Static<typeof PurgesQuery>;

const PurgedFileSchema = namedObject('PurgedFile', {
  id: IdSchema,
  paths: Type.Array(Type.String(), { description: 'All paths that it had' }),
  states: Type.Integer({ description: 'Contents that it had, one after the other' }),
  bytes: Type.Integer({ description: 'Of all of them' }),
});

export const PurgeReportSchema = namedObject('PurgeReport', {
  id: IdSchema,
  datasetId: IdSchema,
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  files: Type.Array(PurgedFileSchema),
  notFound: Type.Array(IdSchema, { description: 'IDs without a file in any version' }),
  bytes: Type.Integer({
    description:
      'Of all contents; the files of the data folder are free of them soon after. What stood in rows of the database, as texts of knowledge bases, may stay in its free pages until they are used again or `VACUUM` is run',
  }),
  versions: Type.Array(namedObject('PurgedVersionRange', { from: Type.Integer(), to: Type.Integer() }), {
    description: 'Ranges of versions that had the files',
  }),
  indexes: Type.Integer({ description: 'Erased indexes and copies of tables, by which rows are shown and queried' }),
  knowledgeBases: Type.Array(
    namedObject('PurgedKnowledgeBase', { id: IdSchema, name: Type.String(), documents: Type.Integer() }),
    { description: 'Whose documents made of the files were erased with text, chunks and vectors' },
  ),
  left: namedObject(
    'PurgeRest',
    {
      copies: Type.Array(
        namedObject('PurgeCopy', {
          datasetId: IdSchema,
          datasetName: Type.String(),
          fileId: IdSchema,
          filePath: Type.String(),
        }),
        { description: 'Other files with the same bytes, at most 100' },
      ),
      runs: Type.Array(
        namedObject('PurgeRun', {
          runId: IdSchema,
          area: Type.String(),
          taskId: IdSchema,
          taskName: Type.String(),
          underWay: Type.Boolean({
            description:
              'It was reading when the files were erased, and has not ended: what it makes is named here when it has',
          }),
          stored: Type.Boolean({ description: 'The run is still there: its ledger may hold texts' }),
          modelCalls: Type.Integer({
            description:
              'Calls of models that the run made and that are kept with what was asked: TILTH_MODEL_REPLY_RETENTION_DAYS after their last use they go',
          }),
          results: Type.Array(namedObject('PurgeResult', { datasetId: IdSchema, version: Type.Integer() })),
        }),
        { description: 'Runs that read versions with the files, newest first, at most 100, and what they made' },
      ),
    },
    { description: 'What may still hold the content, and was not touched' },
  ),
});
export type PurgeReport = Static<typeof PurgeReportSchema>;

export const PurgePageSchema = pageOf(PurgeReportSchema);
