import { Type } from 'typebox';
import { matchesGlob } from '../kernel/path-globs.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { sourceSentences } from './sentences.ts';

const patterns = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 100, description }));

/** Fields of connectors that list files by path. */
export const filterFields = {
  include: patterns('Patterns of paths to fetch, such as *.jsonl or **/2026/*; default: all'),
  exclude: patterns('Patterns of paths to skip'),
};

/** Why a path is left out; undefined if it is fetched. */
export function findExclusion(
  path: string,
  { include = [], exclude = [] }: { include?: readonly string[]; exclude?: readonly string[] },
): Reason | undefined {
  if (include.length > 0 && !include.some((pattern) => matchesGlob(path, pattern)))
    return sourceSentences.NOT_INCLUDED.reason({});
  const out = exclude.find((pattern) => matchesGlob(path, pattern));
  return out === undefined ? undefined : sourceSentences.EXCLUDED.reason({ pattern: out });
}
