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
});
