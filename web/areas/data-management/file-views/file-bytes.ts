import { errorOfAnswer } from '../../../api/errors.ts';

/** Bytes read at a time, so that files of any size open at once. */
export const partBytes = 256 * 1024;

/** Bytes `from` (inclusive) to `to` (exclusive) of a file; fewer at its end. */
export async function readBytes(url: string, from: number, to: number): Promise<Uint8Array> {
  // An empty file has no ranges.
  if (to <= from) return new Uint8Array();
  const response = await fetch(url, { headers: { Range: `bytes=${from}-${to - 1}` } });
  if (response.status === 416) return new Uint8Array();
  if (!response.ok) throw await errorOfAnswer(response);
  return new Uint8Array(await response.arrayBuffer());
}

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1252';

/** Detects the encoding of a text by its first bytes; undefined if they are not text. `isWhole`: no bytes follow. */
export function detectEncoding(head: Uint8Array, isWhole: boolean): TextEncoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head.includes(0)) return undefined;
  // The last character may be cut in two.
  for (const encoding of ['utf-8', 'gb18030'] as const) {
    if (decodes(head, encoding, isWhole)) return encoding;
  }
  return controlShare(head) > 0.1 ? undefined : 'windows-1252';
}

function decodes(bytes: Uint8Array, encoding: TextEncoding, isWhole: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}

function controlShare(bytes: Uint8Array): number {
  let controls = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) controls += 1;
  return bytes.length === 0 ? 0 : controls / bytes.length;
}

/** Decodes a text in parts, even if a part ends within a character. */
export function createTextParts(encoding: TextEncoding): { add(bytes: Uint8Array, isLast: boolean): string } {
  const decoder = new TextDecoder(encoding);
  return { add: (bytes, isLast) => decoder.decode(bytes, { stream: !isLast }) };
}
