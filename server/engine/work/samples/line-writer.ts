import type { ByteCollector } from '../byte-collector.ts';

/** Builds JSON byte by byte; creating and encoding a string per short line costs several times as much. */
export type LineWriter = {
  /** Encoded ASCII. */
  ascii(bytes: Uint8Array): void;
  /** A finite number, in the digits that JSON.stringify would write. */
  number(value: number): void;
  text(text: string): void;
  /** Returns the collected bytes. */
  flush(): void;
};

const gatheredBytes = 1 << 14;
/** Maximum bytes of one number or piece of ASCII. */
const pieceBytes = 64;
const zero = 0x30;
/** Most scores are rounded to four decimals. */
const decimals = 4;
const scale = 10 ** decimals;
const maxScaled = 2 ** 31 - 1;

export function createLineWriter(target: ByteCollector): LineWriter {
  const gathered = Buffer.alloc(gatheredBytes);
  let length = 0;

  function flush(): void {
    target.append(gathered.subarray(0, length));
    length = 0;
  }

  function digits(value: number, least: number): void {
    let count = least;
    for (let rest = 10 ** least; rest <= value; rest *= 10) count += 1;
    let rest = value;
    for (let at = length + count - 1; at >= length; at -= 1) {
      const next = (rest / 10) | 0;
      gathered[at] = zero + rest - next * 10;
      rest = next;
    }
    length += count;
  }

  /** Writes the decimals of `value / scale` without trailing zeros. */
  function fraction(value: number): void {
    if (value === 0) return;
    gathered[length] = 0x2e;
    length += 1;
    digits(value, decimals);
    while (gathered[length - 1] === zero) length -= 1;
  }

  return {
    ascii(bytes) {
      if (length + pieceBytes > gatheredBytes) flush();
      // Too short for a native copy to pay off.
      for (let at = 0; at < bytes.length; at += 1) gathered[length + at] = bytes[at] ?? 0;
      length += bytes.length;
    },
    number(value) {
      if (length + pieceBytes > gatheredBytes) flush();
      const scaled = Math.round(value * scale);
      const isPlain = scaled >= 0 && scaled <= maxScaled && scaled / scale === value;
      if (isPlain) {
        const whole = (scaled / scale) | 0;
        digits(whole, 1);
        fraction(scaled - whole * scale);
      } else {
        length += gathered.write(String(value), length, 'latin1');
      }
    },
    text(text) {
      flush();
      target.append(Buffer.from(text));
    },
    flush,
  };
}
