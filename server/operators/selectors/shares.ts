import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { mix } from '../deduplicators/minhash-kernel.ts';
import type { ParamProblem } from '../operator.ts';
import type { SetDrop, WholeSet } from '../whole-set.ts';
import { itemsOf } from '../list-param.ts';

/** Messages of operators that keep a share of each class. */
export const shareSentences = defineSentences('shares', {
  OVER_SHARE: 'over the share of {class}: {kept} of {size} samples stay',
  OVER_SHARE_TOKENS: 'over the share of {class}: {kept} of {size} tokens stay',
  WITHOUT_SHARE: 'no share is given for {class}',
  CLASS_SHORT: '{class} has only {size} samples of {wanted}',
  CLASS_SHORT_TOKENS: '{class} has only {size} tokens of {wanted}',
  CLASS_EMPTY: 'no sample is of {class}: its weight counts for nothing',
  CLASS_LIMITS: '{class} has the fewest samples for its weight, {size}: {total} samples stay in all',
  CLASS_LIMITS_TOKENS: '{class} has the fewest tokens for its weight, {size}: at most {total} tokens stay in all',
  TOO_MANY_CLASSES: '{column} has more than {limit} values: choose a column that sorts samples into classes',
  NO_WEIGHTS: 'must be pairs of a name and a number above 0, such as {example}',
});

export const chineseShareReasons = {
  OVER_SHARE: '超过 {class} 的份额：{size} 个样本中保留 {kept} 个',
  OVER_SHARE_TOKENS: '超过 {class} 的份额：{size} 个词元中保留 {kept} 个',
  WITHOUT_SHARE: '没有给出 {class} 的份额',
  CLASS_SHORT: '{class} 只有 {size} 个样本，不足 {wanted}',
  CLASS_SHORT_TOKENS: '{class} 只有 {size} 个词元，不足 {wanted}',
  CLASS_EMPTY: '没有属于 {class} 的样本：其权重不计',
  CLASS_LIMITS: '按权重算，{class} 的样本最少，有 {size} 个：总共保留 {total} 个样本',
  CLASS_LIMITS_TOKENS: '按权重算，{class} 的词元最少，有 {size} 个：总共至多保留 {total} 个词元',
  TOO_MANY_CLASSES: '{column} 的值超过 {limit} 种：请选择把样本分成类别的列',
  NO_WEIGHTS: '必须是名称与大于 0 的数字的对，如 {example}',
};

export const seedParam = Type.Integer({
  title: 'Seed',
  default: 0,
  minimum: 0,
  maximum: 4_294_967_295,
  description: 'A different seed draws different samples',
});

export const chineseSeed = { title: '种子', help: '换一个数就抽到别的样本' };

/** The pairs of a list such as `en=2, "red, blue"=1`; the quotation marks may also enclose the whole pair. */
function pairsIn(list: string): string[] {
  const quotedNames = /(?<=^|[,，])\s*"((?:[^"]|"")*)"\s*(=\s*[\d.]+)\s*(?=[,，]|$)/g;
  return itemsOf(list.replace(quotedNames, '"$1$2"'));
}

/** The weights in such a list. */
export function weightsIn(list: string): Map<string, number> {
  return new Map(
    pairsIn(list).map((pair) => {
      const at = pair.lastIndexOf('=');
      return [pair.slice(0, Math.max(0, at)).trim(), Number(pair.slice(at + 1))] as const;
    }),
  );
}

export function checkWeights(list: string, field: string, example: string): ParamProblem | undefined {
  const isRight = pairsIn(list).every((pair) => /^.+=\s*\d+(?:\.\d+)?$/.test(pair) && !/=\s*0*(?:\.0*)?$/.test(pair));
  return isRight ? undefined : { field, problem: shareSentences.NO_WEIGHTS.reason({ example }) };
}

/** A class of samples: its size in samples or tokens, and the wanted amount; undefined if it gets no share. */
export type ShareClass = { name: string; size: number; wanted: number | undefined };

/** The largest amounts in proportion to the weights that all classes can supply. */
export function weigh(
  sizes: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number>,
  { isTokens, note }: { isTokens: boolean; note: Note },
): Map<string, number> {
  for (const name of weights.keys()) {
    if ((sizes.get(name) ?? 0) === 0) note(shareSentences.CLASS_EMPTY.reason({ class: shownClass(name) }));
  }
  const found = [...weights].filter(([name]) => (sizes.get(name) ?? 0) > 0);
  const scaleOf = ([name, weight]: readonly [string, number]): number => (sizes.get(name) ?? 0) / weight;
  const [first, ...others] = found;
  if (first === undefined) return new Map();
  const limiting = others.reduce((least, next) => (scaleOf(next) < scaleOf(least) ? next : least), first);
  // Rounding errors such as those of 0.1 + 0.2 must not cost a sample.
  const wanted = new Map(found.map(([name, weight]) => [name, Math.floor(scaleOf(limiting) * weight + 1e-6)]));
  const figures = {
    class: shownClass(limiting[0]),
    size: sizes.get(limiting[0]) ?? 0,
    total: [...wanted.values()].reduce((sum, size) => sum + size, 0),
  };
  note((isTokens ? shareSentences.CLASS_LIMITS_TOKENS : shareSentences.CLASS_LIMITS).reason(figures), 'INFO');
  return wanted;
}

type Note = Parameters<WholeSet['reduce']>[2];

/**
 * Keeps samples of each class up to its wanted amount and drops the others. The choice only depends on the seed and the
 * positions of the samples in the input. Needs 9 bytes per sample.
 */
export function keepShares(
  {
    classOf,
    sizeOf,
    classes,
    seed,
    isTokens,
  }: {
    /** The class of each sample. */
    classOf: Uint32Array;
    /** The tokens of each sample, if tokens are counted. */
    sizeOf: Uint32Array | undefined;
    classes: readonly ShareClass[];
    seed: number;
    isTokens: boolean;
  },
  { drop, keep, note }: { drop: (dropped: SetDrop) => void; keep?: (index: number) => void; note: Note },
): void {
  const count = classOf.length;
  const order = new Float64Array(count);
  const start = mix(seed ^ 0x9e37_79b9);
  for (let index = 0; index < count; index += 1) order[index] = (mix(mix(index) ^ start) >>> 11) * 2 ** 32 + index;
  order.sort();
  const kept = new Uint8Array(count);
  const reached = new Float64Array(classes.length);
  for (const key of order) {
    const index = key % 2 ** 32;
    const number = classOf[index] ?? 0;
    const size = sizeOf?.[index] ?? 1;
    if ((reached[number] ?? 0) + size > (classes[number]?.wanted ?? 0)) continue;
    reached[number] = (reached[number] ?? 0) + size;
    kept[index] = 1;
  }
  for (const { name, size, wanted } of classes) {
    if (wanted === undefined || size >= wanted) continue;
    const figures = { class: shownClass(name), size, wanted };
    note((isTokens ? shareSentences.CLASS_SHORT_TOKENS : shareSentences.CLASS_SHORT).reason(figures));
  }
  const reasons = classes.map(({ name, size, wanted }, number) => {
    if (wanted === undefined) return shareSentences.WITHOUT_SHARE.reason({ class: shownClass(name) });
    const figures = { class: shownClass(name), kept: reached[number] ?? 0, size };
    return (isTokens ? shareSentences.OVER_SHARE_TOKENS : shareSentences.OVER_SHARE).reason(figures);
  });
  for (let index = 0; index < count; index += 1) {
    const reason = reasons[classOf[index] ?? 0];
    if (kept[index] === 1 || reason === undefined) keep?.(index);
    else drop({ index, of: index, score: 0, reason: () => reason });
  }
}

export function shownClass(name: string): string {
  return JSON.stringify(name);
}
