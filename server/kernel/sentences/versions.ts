import { defineSentences } from '../sentence-catalogue.ts';

/** Why a dataset version was created. */
export const versionMessages = defineSentences('versions', {
  UNPACKED: 'Unpacked {path}',
  UPLOADED_ARCHIVE: 'Uploaded as a {format} archive',
  MOVED: 'Moved to {path}',
  FOLDER_CREATED: 'Created folder {path}',
  FOLDER_DELETED: 'Deleted folder {path}',
  RESTORED: 'Restored version {version}',
  ERASED: 'Erased {count} {count|file|files} from all versions',
  CLEANED: 'Cleaned by {task}',
  REPROCESSED: 'Failed samples of run {run}, processed again by {task}',
  REPLACED: 'Replaced by {task}',
  QUERIED: 'Result of a query over version {version}: {sql}',
});
