import { defineSentences } from '../sentence-catalogue.ts';

/** What the service can't do for now. */
export const causesOfDelay = defineSentences('delays', {
  SHUTTING_DOWN: 'The service is shutting down',
  NOT_ANSWERING: 'The {name} does not answer',
  PARQUET_READER_ENDED: 'The process that reads and writes Parquet files was ended from outside',
  MANY_STREAMS: 'Too many event streams are open: close some',
  MANY_SIGN_INS: 'Too many people are signing in at once',
  STORAGE_CHECKED: 'The storage failed to make data durable and is being checked',
  MANY_OPEN_FILES: 'Too many files are open at the moment',
  STORAGE_FAILED: 'The disk or the database failed during this call; the log has the cause under this request id',
  OF_FILE: 'File {path}: {why}',
  SHEETS_BEING_LISTED: 'The sheets of {path} are being listed',
  INDEX_BEING_BUILT: 'The index of {path} is being built',
  COLUMNS_BEING_COUNTED: 'The columns of {path} are being counted',
  VERSIONS_BEING_COMPARED: 'The two versions are being compared',
  SHA256_BEING_COMPUTED: 'The SHA-256 of {files} files is being computed',
  VIEW_READER_ENDED: 'its reader was ended from outside',
  COUNTER_ENDED: 'The process that counts contents was ended from outside',
  CHECKSUM_CAME_LATE: 'checkSumHex came after the file and could not be checked: send it before the file',
  ENTRIES_ERASED: 'What had arrived was erased, because this node had been silent for too long',
  QUERIES_TOO_MANY: 'The service has too much to do to run a query',
  QUERIES_LONG: 'Other queries have been running for {seconds} s',
  QUERY_PROCESS_ENDED: 'The process of the query was ended from outside',
});
