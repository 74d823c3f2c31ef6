const carriageReturn = 0x0d;
const delimiterStart = Buffer.from('\r\n--');
/** After this many false matches in one piece, the whole delimiter is searched for instead of its first bytes. */
const maxCandidates = 8;

/**
 * Position of a multipart delimiter at or after `from`; -1 if there is none. Its first bytes are enough to rule most
 * positions out, and searching for them is four times as fast.
 */
export function findDelimiter(data: Buffer, delimiter: Buffer, from: number): number {
  let at = from;
  for (let candidate = 0; candidate < maxCandidates; candidate++) {
    at = data.indexOf(delimiterStart, at);
    const end = at + delimiter.length;
    if (at === -1 || end > data.length) return -1;
    if (data.compare(delimiter, 0, delimiter.length, at, end) === 0) return at;
    at++;
  }
  return data.indexOf(delimiter, at);
}

/** Length of the longest suffix of the data from `start` on that may be the beginning of a delimiter. */
export function partialDelimiterLength(data: Buffer, delimiter: Buffer, start: number): number {
  let from = Math.max(start, data.length - delimiter.length + 1);
  for (;;) {
    const at = data.indexOf(carriageReturn, from);
    if (at === -1) return 0;
    const length = data.length - at;
    if (data.compare(delimiter, 0, length, at, data.length) === 0) return length;
    from = at + 1;
  }
}
