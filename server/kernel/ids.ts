import { uuidv7 } from 'uuidv7';

/** Pattern of all ids in the API. */
export const idPattern = '^[A-Za-z0-9_-]{1,64}$';

/** A new UUIDv7: unique, and increasing within this process. */
export function newId(): string {
  return uuidv7();
}
