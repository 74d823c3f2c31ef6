import type { RtfDecoder } from './rtf-text.ts';
import { symbolCharset } from './rtf-words.ts';

/** The address to which the instruction of a field links its text. */
export function linkOf(instruction: string): string | undefined {
  return /^\s*HYPERLINK\s+(?!\\)"?([^"\s]+)"?/i.exec(instruction)?.[1];
}

/** Text of a field whose instruction is its text: a character of a font. */
export function symbolOf(instruction: string, decoder: RtfDecoder): string | undefined {
  const [, code, named] = /^\s*SYMBOL\s+(0x[\da-f]+|\d+)(?:.*?\\f\s*"?([^"\\]+)"?)?/i.exec(instruction) ?? [];
  if (code === undefined) return undefined;
  const charset = named === undefined ? 1 : symbolCharset;
  return decoder.decode(
    String.fromCharCode(Number(code) & 0xff),
    { name: named?.trim() ?? '', charset, page: undefined },
    true,
  );
}
