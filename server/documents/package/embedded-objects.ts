import { documentProblems } from '../../kernel/sentences/index.ts';
import type { Draft } from '../draft.ts';
import type { OfficePackage } from './office-package.ts';

/** Objects of other programs, and whole documents of Office (ECMA-376 part 1, 15.2.10 and 15.2.11). */
const kinds = new Set(['oleObject', 'package']);

/** Warns of each object that is embedded in a part, or linked to it; of one that is referred to twice, once. */
export async function tellOfObjects(found: OfficePackage, part: string, draft: Pick<Draft, 'warn'>): Promise<void> {
  const related = part === '' ? [] : await found.relationsOf(part);
  const objects = new Set(related.filter(({ type }) => kinds.has(type)).map(({ target }) => target));
  for (const _ of objects) draft.warn(documentProblems.OBJECT_LEFT_OUT.reason({}));
}
