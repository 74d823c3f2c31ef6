import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { storedReason, type ReasonColumns } from '../../kernel/stored-reason.ts';

/** Reasons why a document failed, or why a rebuild is waiting. */
export const ragCauses = defineSentences('causes of failed documents and rebuilds', {
  DOCUMENT_DELETED: 'The document was deleted',
  DOCUMENT_NOT_TEXT: 'its bytes are neither a known document nor text',
  DOCUMENT_PICTURE: 'it is a picture, and text in pictures is not read',
  DOCUMENT_WRONG_ENCODING: 'it appears to be {encoding}, but its bytes are not valid in it',
  ENCODING_GUESSED: 'its encoding is a guess: {encoding}',
  DOCUMENT_EMPTY: 'it has no text',
  DOCUMENT_DAMAGED: 'its stored bytes are damaged or missing; upload it again',
  DOCUMENT_TEXT_TOO_LARGE: 'its text is larger than {limit} bytes',
  DOCUMENT_TOO_LARGE: 'its file has {size} bytes, more than the allowed {limit}',
  DOCUMENT_TOO_MANY_CHARACTERS: 'its text has {characters} characters, more than the allowed {limit}',
  DOCUMENT_NOT_CUT: 'its text could not be cut: {why}',
  DOCUMENT_CHUNKS_REPEAT: 'its chunks would repeat its text more than {times} times; choose a smaller overlap',
  DOCUMENT_QUARANTINED:
    'its processing was interrupted {times} {times|time|times} while it was read, so it is not tried again by itself',
  DOCUMENT_STORAGE_FULL: 'the storage is full; free some space, then retry the document',
  DOCUMENT_WAITS_FOR_SPACE: 'the storage is full; it goes on by itself when there is space again',
  DOCUMENT_NOT_INDEXED: 'the index could not be written; the log has the cause',
  REBUILD_WOULD_LOSE:
    'documents that searches find now could not be indexed, so it is not switched to by itself: {documents}',
  DOCUMENT_VECTOR_LENGTH: 'the model gave vectors of {given} numbers, those of the knowledge base have {expected}',
});

/** What a document or a rebuild that waits for space is waiting for. */
export const waitsForSpace = ragCauses.DOCUMENT_WAITS_FOR_SPACE.reason({});

/** Whether the row says that it waits for space. */
export function isWaitingForSpace(row: ReasonColumns<'cause'>): boolean {
  return storedReason('cause', row)?.sentence?.code === waitsForSpace.sentence?.code;
}
