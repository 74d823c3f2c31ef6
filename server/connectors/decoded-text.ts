import { SourceError } from './connector.ts';
import { sourceSentences } from './sentences.ts';

/** What names the encoding of a text, in the order in which it is believed. */
export type NamedEncoding = { host: string; sent: string | undefined; declared?: string | undefined };

const marks: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * A text in the encoding that its byte order mark, the server or the text itself names, else UTF-8. Throws SourceError
 * rather than replace bytes that the encoding does not have.
 */
export function decodedText(bytes: Uint8Array, { host, sent, declared }: NamedEncoding): string {
  const marked = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const named = [marked, sent, declared].filter((name) => name !== undefined && isPossible(name, bytes));
  for (const encoding of [...named, guessed(bytes)]) {
    const text = tryDecode(bytes, encoding ?? 'utf-8');
    if (text !== undefined) return text;
  }
  const encoding = named[0] ?? guessed(bytes);
  throw new SourceError(sourceSentences.TEXT_NOT_IN_ENCODING.reason({ host, encoding }));
}

/** The charset of a Content-Type. */
export function charsetOf(contentType: string | null): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|'?([^\s;"']+))/i.exec(contentType ?? '') ?? [];
  return quoted ?? plain;
}

/** A text whose first bytes are ASCII is no UTF-16, whatever it declares: it was converted later. */
function isPossible(name: string, bytes: Uint8Array): boolean {
  return !/^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(name) || bytes.subarray(0, 4).includes(0) || bytes[0] !== 0x3c;
}

function guessed(bytes: Uint8Array): string {
  if (bytes[0] === 0 && bytes[1] !== 0) return 'utf-16be';
  return bytes[1] === 0 && bytes[0] !== 0 ? 'utf-16le' : 'utf-8';
}

function tryDecode(bytes: Uint8Array, encoding: string): string | undefined {
  const isUtf16 = /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)$/i.test(encoding);
  try {
    return new TextDecoder(isUtf16 && bytes[0] === 0 ? 'utf-16be' : encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
