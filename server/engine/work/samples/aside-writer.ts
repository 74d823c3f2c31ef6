import { rawTextOf } from './ledger.ts';
import type { RawSample } from '../../orders/ledger-line.ts';
import type { Aside, AsideRange, OnError } from '../../orders/shard.ts';
import { createByteCollector } from '../byte-collector.ts';
import type { RawBytes } from './shard-context.ts';

/** Collects the bytes of a shard's failed samples that are written nowhere else. */
export type AsideWriter = {
  /** Adds a failed sample; returns what the ledger records about its bytes. */
  take(piece: number, raw: RawBytes, sample: { isUnread: boolean; isWritten: boolean }): RawSample;
  result(): Aside;
};

export function createAsideWriter(onError: OnError): AsideWriter {
  const bytes = createByteCollector(0);
  const ranges: AsideRange[] = [];
  const files: number[] = [];
  /** Total length of the ranges. */
  let length = 0;

  function add(piece: number, { held, start, lengthBytes }: RawBytes): number | 'file' {
    if (held === 'file') {
      files.push(piece);
      return 'file';
    }
    const at = length;
    length += lengthBytes;
    if (held === 'range') {
      ranges.push({ from: piece, start, end: start + lengthBytes });
      return at;
    }
    const last = ranges.at(-1);
    const before = bytes.length;
    bytes.append(held);
    if (last?.from === 'result') last.end = bytes.length;
    else ranges.push({ from: 'result', start: before, end: bytes.length });
    return at;
  }

  return {
    take(piece, raw, { isUnread, isWritten }) {
      const { start, lengthBytes } = raw;
      const text = isUnread && raw.held !== 'file' ? { text: rawTextOf(raw.shown) } : {};
      const aside = isWritten || onError === 'DROP' ? {} : { aside: add(piece, raw) };
      return { ...text, start, lengthBytes, ...aside };
    },
    result: () => ({ bytes: bytes.take(), ranges, files }),
  };
}
