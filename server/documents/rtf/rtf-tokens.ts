/** A token of RTF (specification 1.9.1): a group, a control word with its number, a control symbol, or bytes of text. */
export type RtfToken =
  | { kind: 'open' | 'close' }
  | { kind: 'word'; name: string; value: number | undefined }
  | { kind: 'symbol'; character: string }
  /** Bytes as characters from 0 to 255; `isEscaped` if they were written as `\'hh`. */
  | { kind: 'text'; bytes: string; isEscaped: boolean }
  | { kind: 'binary' };

const word = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
const text = /[^\\{}\r\n\0]+/y;

/** Reads tokens from front to back; what is no RTF is skipped. */
export function* rtfTokens(rtf: string): Generator<RtfToken> {
  for (let at = 0; at < rtf.length;) {
    const character = rtf[at] ?? '';
    if (character === '{' || character === '}') {
      yield { kind: character === '{' ? 'open' : 'close' };
      at += 1;
    } else if (character === '\\') {
      word.lastIndex = at;
      const [whole, name, value] = word.exec(rtf) ?? [];
      if (whole !== undefined && name !== undefined) {
        at += whole.length;
        const number = value === undefined ? undefined : Number(value);
        if (name === 'bin') {
          at += Math.max(0, number ?? 0);
          yield { kind: 'binary' };
        } else yield { kind: 'word', name, value: number };
      } else if (rtf[at + 1] === "'") {
        const hex = rtf.slice(at + 2, at + 4);
        const isByte = /^[\da-fA-F]{2}$/.test(hex);
        if (isByte) yield { kind: 'text', bytes: String.fromCharCode(Number.parseInt(hex, 16)), isEscaped: true };
        at += isByte ? 4 : 2;
      } else {
        if (at + 1 < rtf.length) yield { kind: 'symbol', character: rtf[at + 1] ?? '' };
        at += 2;
      }
    } else {
      text.lastIndex = at;
      const bytes = text.exec(rtf)?.[0] ?? '';
      if (bytes !== '') yield { kind: 'text', bytes, isEscaped: false };
      at += Math.max(1, bytes.length);
    }
  }
}
