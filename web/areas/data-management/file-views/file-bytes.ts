import { errorOfAnswer } from '../../../api/errors.ts';

/** Bytes read at a time, so that files of any size open quickly. */
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

/** The text of a file's first parts; a character cut at their end is left out unless the file ends there. */
export function decodeParts(parts: readonly Uint8Array[], encoding: string, isWhole: boolean): string {
  const decoder = new TextDecoder(encoding);
  return parts.map((part, index) => decoder.decode(part, { stream: !isWhole || index < parts.length - 1 })).join('');
}
