import { defineErrors } from '../../kernel/errors.ts';

/** What can go wrong in this area beyond the common codes. */
export const dataErrors = defineErrors('data-management', {
  DATASET_NOT_FOUND: ['not-found', 'Dataset {id} does not exist'],
  FILE_NOT_FOUND: ['not-found', 'File {id} does not exist in this dataset'],
  UPLOAD_NOT_FOUND: ['not-found', 'Upload {id} does not exist in this dataset; it may have ended or expired'],
  TAG_NOT_FOUND: ['not-found', 'Tag {id} does not exist'],
  VERSION_NOT_FOUND: ['not-found', 'Version {version} does not exist in this dataset'],
  DATASET_ARCHIVED: ['conflict', 'Dataset {id} is archived and takes no new files; set another status first'],
  DATASET_BUSY: ['conflict', 'Dataset {id} is in use by a run; stop the run or wait for its end'],
  FILE_ALREADY_EXISTS: ['conflict', '{problem}'],
  DIRECTORY_ALREADY_EXISTS: ['conflict', '{problem}'],
  TAG_ALREADY_EXISTS: ['conflict', 'A tag named {name} exists already; names are compared without regard to case'],
  FILE_NOT_COMPLETED: ['conflict', 'File {path} is {status}; only COMPLETED files can be downloaded'],
  CONTENT_CHANGED: ['conflict', 'Files of this version have been erased meanwhile; start the download again'],
  UPLOAD_CONFLICT: ['conflict', '{problem}'],
  CHECKSUM_MISMATCH: ['invalid', '{problem}'],
});
