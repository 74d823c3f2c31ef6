import { createRequire } from 'node:module';
import type * as openCc from 'opencc-js';

/** Variants of written Chinese as OpenCC names them; `twp` and `hkp` also have the words of the region. */
export type ChineseVariant = 'cn' | 't' | 'tw' | 'twp' | 'hk';

const made = new Map<string, (text: string) => string>();

/** A function that rewrites Chinese (OpenCC, longest phrase first). Its words take some MiB of a thread: loaded on first use. */
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
