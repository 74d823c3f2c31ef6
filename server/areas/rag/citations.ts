/** Code, in which brackets with numbers are something else. */
const code = /```[^]*?(?:```|$)|`[^`\n]*`/g;
/** One mark: [1], [1, 2], [1-3], [^1], 【1】, 【1†source】, [Source 1]. */
const mark =
  /[[［【〔](?:\^|(?:sources?|quellen?|来源|出处|资料)\s*[:：#]?)?\s*([0-9０-９][0-9０-９\s,，、;；&–—~～〜-]*?)\s*(?:†[^\]］】〕]{0,200})?[\]］】〕]/giu;

/**
 * The numbers of the sources that an answer cites, from 1 to `sources`, ascending: also lists, ranges and footnotes, in
 * square brackets of any width.
 */
export function citedNumbers(answer: string, sources: number): number[] {
  const cited = new Set<number>();
  for (const [, listed = ''] of answer.replaceAll(code, ' ').matchAll(mark))
    for (const one of listed
      .normalize('NFKC')
      .replaceAll(/\s*[-–—~〜]+\s*/gu, '-')
      .split(/[,、;&\s]+/u)) {
      const [, from, to] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(one) ?? [];
      if (from === undefined) continue;
      const last = Math.min(sources, Number(to ?? from));
      for (let number = Math.max(1, Number(from)); number <= last; number++) cited.add(number);
    }
  return [...cited].sort((one, other) => one - other);
}
