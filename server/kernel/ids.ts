import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Pattern of all ids in the API. */
export const idPattern = '^[A-Za-z0-9_-]{1,64}$';

/** Random numbers are fetched in bulk: fetching them for a few ids at a time doubled the cost of an id. */
const random = new Uint32Array(1024);
let unused = 0;

const generator = new V7Generator({
  nextUint32() {
    if (unused === 0) unused = randomFillSync(random).length;
    return random[--unused] ?? 0;
  },
});

/** A new UUIDv7: unique, and increasing within this process. */
export function newId(): string {
  return generator.generate().toString();
}
