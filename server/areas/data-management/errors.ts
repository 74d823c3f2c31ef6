import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const dataErrors = defineErrors('data-management', {
  DATASET_NOT_FOUND: ['not-found', 'Dataset {id} does not exist; it may have been deleted'],
  FILE_NOT_FOUND: ['not-found', 'File {id} does not exist in this dataset'],
  UPLOAD_NOT_FOUND: ['not-found', 'Upload {id} does not exist in this dataset; it may have ended or expired'],
  TAG_NOT_FOUND: ['not-found', 'Tag {id} does not exist'],
  VERSION_NOT_FOUND: ['not-found', 'Version {version} does not exist in this dataset'],
  DATASET_ARCHIVED: ['conflict', 'Dataset {id} is archived and takes no new files; set another status first'],
  DATASET_BUSY: ['conflict', 'Dataset {id} is in use by a run; stop the run or wait until it ends'],
  DATASET_WRITTEN: ['conflict', 'Run {run} writes into dataset {id}; stop the run or wait until it ends'],
  UPLOAD_OPEN: [
    'conflict',
    'Upload {upload} of {user} still adds files to dataset {id}; wait until it is complete, or end it with DELETE files/upload/{upload}',
  ],
  FILE_ALREADY_EXISTS: ['conflict', 'File {path} exists already{detail}; choose another path'],
  DIRECTORY_ALREADY_EXISTS: ['conflict', '{path} is an existing folder; choose another path'],
  TAG_ALREADY_EXISTS: ['conflict', 'A tag named {name} exists already; names are compared without regard to case'],
  FILE_NOT_COMPLETED: ['conflict', 'File {path} is {status}; wait until it is COMPLETED, then download it'],
  NOT_A_TABLE: ['conflict', 'File {path} can not be shown as a table: {problem}'],
  CONTENT_CHANGED: ['conflict', 'Files of this version were erased during the download; start it again'],
  UPLOAD_CONFLICT: ['conflict', 'This upload has received {received}; {remedy}'],
  CHECKSUM_MISMATCH: [
    'invalid',
    'checkSumHex is {expected}, but the received bytes have {actual} and were not kept; send them again',
  ],
});
