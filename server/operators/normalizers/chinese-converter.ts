import { createRequire } from 'node:module';
import type * as openCc from 'opencc-js';

/** Variants of written Chinese by their OpenCC names; `twp` and `hkp` also convert regional vocabulary. */
export type ChineseVariant = 'cn' | 't' | 'tw' | 'twp' | 'hk';

const made = new Map<string, (text: string) => string>();

/**
 * Creates a converter (OpenCC, longest phrase first). Its dictionaries take a few MiB per thread and are loaded on
 * first use.
 */
export function createChineseConverter(from: ChineseVariant, to: ChineseVariant): (text: string) => string {
  const name = `${from} ${to}`;
  return (text) => (made.get(name) ?? load(name, from, to))(text);
}

function load(name: string, from: ChineseVariant, to: ChineseVariant): (text: string) => string {
  const path = to === 'cn' ? 'opencc-js/t2cn' : 'opencc-js/cn2t';
  const { Converter } = createRequire(import.meta.url)(path) as typeof openCc;
  const convert: (text: string) => string = Converter({ from, to });
  made.set(name, convert);
  return convert;
}
