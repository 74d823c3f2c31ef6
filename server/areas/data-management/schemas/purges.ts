import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

export const PurgeBody = namedObject(
  'PurgeRequest',
  {
    fileIds: Type.Array(IdSchema, {
      minItems: 1,
      maxItems: 1_000,
      description: 'Files of the dataset, including files of older versions',
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
  states: Type.Integer({ description: 'Number of contents that it had over time' }),
  bytes: Type.Integer({ description: 'Total size of these contents' }),
});

export const PurgeReportSchema = namedObject('PurgeReport', {
  id: IdSchema,
  datasetId: IdSchema,
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  files: Type.Array(PurgedFileSchema),
  notFound: Type.Array(IdSchema, { description: 'IDs that match no file in any version' }),
  bytes: Type.Integer({
    description:
      'Size of all contents; they are removed from the files of the data folder soon after. What was in database rows, such as texts of knowledge bases, may remain in free pages until these are reused or `VACUUM` is run',
  }),
  versions: Type.Array(namedObject('PurgedVersionRange', { from: Type.Integer(), to: Type.Integer() }), {
    description: 'Ranges of versions that had the files',
  }),
  indexes: Type.Integer({ description: 'Erased indexes and copies of tables, which are used to show and query rows' }),
  knowledgeBases: Type.Array(
    namedObject('PurgedKnowledgeBase', { id: IdSchema, name: Type.String(), documents: Type.Integer() }),
    { description: 'Knowledge bases whose documents from these files were erased, with text, chunks and vectors' },
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
              'Whether the run was reading when the files were erased and has not ended; its results are listed here once it has',
          }),
          stored: Type.Boolean({ description: 'Whether the run still exists; its ledger may contain texts' }),
          modelCalls: Type.Integer({
            description:
              'Stored model calls of the run, including their prompts; deleted TILTH_MODEL_REPLY_RETENTION_DAYS after their last use',
          }),
          results: Type.Array(namedObject('PurgeResult', { datasetId: IdSchema, version: Type.Integer() })),
        }),
        { description: 'Runs that read versions with the files, newest first, at most 100, and their results' },
      ),
    },
    { description: 'What was not erased and may still contain the content' },
  ),
});
export type PurgeReport = Static<typeof PurgeReportSchema>;

export const PurgePageSchema = pageOf(PurgeReportSchema);
