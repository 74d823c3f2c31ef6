import { defineSentences } from '../sentence-catalogue.ts';

/** Why a path is taken, behind the words that a file exists already. */
export const pathConflicts = defineSentences('conflicts of paths', {
  HOLDS_NO_OTHER: ' and can contain no other file',
  NUMBERED_TOO_LONG: ', and a numbered name would be too long',
  IN_THIS_CALL: ' in this call: {first} and {second} are both for this path',
  FOLDER_IN_THIS_CALL: ' in this call, as a file by {first} and as a folder by {second}',
  PART_OF_CALL: 'part {number} ({name})',
  FILE_OF_UPLOAD: 'file {number} ({name})',
});
