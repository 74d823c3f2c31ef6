import { createHash } from 'node:crypto';
import type { SourceSample } from './source-samples.ts';

/** Creates keys from path and content, plus a number for repetitions. */
export function createSampleKeys(): (sample: SourceSample) => string {
  const seen = new Map<string, number>();
  return ({ filePath, text, row, problem }) => {
    const content = JSON.stringify([filePath, row === null ? text : row, problem]);
    const key = createHash('sha256').update(content).digest('base64url').slice(0, 32);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return times === 0 ? key : `${key}-${times}`;
  };
}
