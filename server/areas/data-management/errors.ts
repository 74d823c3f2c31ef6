import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const dataErrors = defineErrors('data-management', {
  LINEAGE_ROOT_NOT_FOUND: ['not-found', 'There is no {kind} {id}, and no run has used one'],
  DATASET_NOT_FOUND: ['not-found', 'Dataset {id} does not exist; it may have been deleted'],
  FILE_NOT_FOUND: ['not-found', 'File {id} does not exist in this dataset'],
  FILE_NOT_IN_VERSION: ['not-found', 'There is no file {path} in version {version}'],
  UPLOAD_NOT_FOUND: ['not-found', 'Upload {id} does not exist in this dataset; it may have ended or expired'],
  TAG_NOT_FOUND: ['not-found', 'Tag {id} does not exist'],
  VERSION_NOT_FOUND: ['not-found', 'Version {version} does not exist in this dataset'],
  DATASET_ARCHIVED: ['conflict', 'Dataset {id} is archived and takes no new files; set another status first'],
  DATASET_BUSY: ['conflict', 'Dataset {id} is in use by a run; stop the run or wait until it ends'],
  DATASET_WRITTEN: ['conflict', 'Run {run} is writing to dataset {id}; stop the run or wait until it ends'],
  UPLOAD_OPEN: [
    'conflict',
    'Upload {upload} of {user} is still adding files to dataset {id}; wait until it is complete, or cancel it with DELETE files/upload/{upload}',
  ],
  FILE_ALREADY_EXISTS: ['conflict', 'File {path} exists already{detail}; choose another path'],
  DIRECTORY_ALREADY_EXISTS: ['conflict', '{path} is an existing folder; choose another path'],
  TAG_ALREADY_EXISTS: ['conflict', 'A tag named {name} already exists; tag names are not case-sensitive'],
  FILE_NOT_COMPLETED: ['conflict', 'File {path} is {status}; wait until it is COMPLETED, then download it'],
  NOT_A_TABLE: ['conflict', 'File {path} cannot be shown as a table: {problem}'],
  SHEET_NOT_FOUND: ['not-found', 'Workbook {path} has no sheet {sheet}'],
  SQL_INVALID: ['invalid', 'Line {line}, column {column}: {problem}'],
  SQL_REFUSED: ['invalid', 'The query cannot be run: {problem}'],
  QUERY_RUNNING: ['conflict', 'Your query {id} is already running; choose another queryId or cancel it'],
  QUERY_NOT_FOUND: ['not-found', 'You have no running query {id} on this node; it may have ended'],
  QUERY_CANCELLED: ['conflict', 'Query {id} was cancelled'],
  FILE_PURGED: [
    'conflict',
    'File {id} was erased from all versions while the query was reading it; run the query again',
  ],
  CONTENT_CHANGED: ['conflict', 'Files of this version were erased during the download; start it again'],
  UPLOAD_CONFLICT: ['conflict', 'This upload has received {received}; {remedy}'],
  CARD_TOO_LARGE: [
    'conflict',
    'This version has {files} files, and Croissant describes at most {limit}; pack them into fewer files, such as Parquet',
  ],
  HUB_REVISION_NOT_FOUND: [
    'not-found',
    'Revision {revision} does not exist in this dataset; a revision is main, a version number or a version name',
  ],
  HUB_ENTRY_NOT_FOUND: ['not-found', 'Version {version} of this dataset has no complete file or folder {path}'],
  HUB_NAME_AMBIGUOUS: [
    'conflict',
    'Several datasets are named {name}; use the id of one, or the username of its creator as the namespace',
  ],
  HUB_READ_ONLY: [
    'method-not-allowed',
    'The Hub-compatible API is read-only; upload with the web application or /api/v1/data-management',
  ],
  CHECKSUM_MISMATCH: [
    'invalid',
    'checkSumHex is {expected}, but the checksum of the received bytes is {actual}; they were discarded, send them again',
  ],
});
