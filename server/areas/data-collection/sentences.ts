import { defineSentences } from '../../kernel/sentence-catalogue.ts';

/** Why an item was left out, and how a run ended. */
export const collectionSentences = defineSentences('collection', {
  UNCHANGED_ROWS: 'unchanged: the rows are the same',
  ROWS_UNREADABLE: 'could not be read',
  EVERY_ITEM_FAILED: 'every item failed',
  SOURCE_CUT_SHORT: 'The source could not be read to its end: {why}',
  NOTHING_FETCHED: 'Nothing could be fetched: {why}',
  SOURCE_SILENT: 'The source did not answer within {seconds} s',
  NO_CONNECTOR: 'This release has no connector {connector}',
  STAGED_DAMAGED: 'its bytes were damaged on disk before they could land; the next run fetches it again',
  STAGED_ROWS_DAMAGED:
    'Rows that this run has read earlier were damaged on disk before they could land; execute the task again without resuming',
  PARQUET_NO_TYPE: '{rows}: Parquet has no type for these columns, they are text: {columns}',
  PARQUET_MISFITS:
    '{rows}: these columns have values that do not fit their type, and are text in the files that hold them: {columns}',
  PARQUET_UNWRITABLE: 'the rows can not be written as Parquet: {why}; choose JSONL',
  PARQUET_SAME_NAMES:
    'Parquet does not tell the columns {one} and {other} apart; give one another name with AS, or choose JSONL',
  FILES_UNLISTED: 'Files of earlier runs that the source does not list any more stay in the dataset ({count}): {names}',
  FILES_UNLISTED_SUCH_AS:
    'Files of earlier runs that the source does not list any more stay in the dataset ({count}), such as {names}',
  FILES_GONE:
    'Files that were collected before are no longer in the dataset ({count}): those that the source offers are fetched again',
  PARTS_GONE:
    '{name}: files of rows that were collected before are no longer at their paths in the dataset ({count} of {all}); only a run from the start reads their rows again',
  COLLECTED_BY: 'Collected by {task}',
});
