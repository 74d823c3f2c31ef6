import { getHeapStatistics } from 'node:v8';

/**
 * A JSON text whose values would need too much of the heap. V8 ends the whole process, not only its thread, when a
 * native call such as `JSON.parse` exceeds the heap.
 */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
  readonly limitMib: number;

  constructor(limitMib: number) {
    super(`it needs more than ${limitMib} MiB of memory to be parsed`);
    this.limitMib = limitMib;
  }
}

/**
 * Upper bounds of the heap that V8 14 takes, in bytes, as measured with values in all shapes: empty objects 67 each,
 * lists 43, objects with one name of their own 226, texts 72.
 */
const bytesPer = { unit: 2, bracket: 80, colon: 100, text: 40, comma: 24 } as const;
const mostPerUnit = bytesPer.bracket + bytesPer.unit;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/** A third of the heap of this thread: what is parsed is copied once or twice. */
const limitBytes = Math.floor(getHeapStatistics().heap_size_limit / 3);

/** Throws JsonTooLarge if the values of the text may need more than a third of the heap of this thread. */
export function checkJsonMemory(text: string, limit = limitBytes): void {
  if (text.length * mostPerUnit > limit && neededBytes(text, limit) > limit)
    throw new JsonTooLarge(Math.floor(limit / 2 ** 20));
}

/** An upper bound of the heap that the parsed text takes; stops beyond `limit`. */
function neededBytes(text: string, limit: number): number {
  let bytes = text.length * bytesPer.unit;
  for (let at = 0; at < text.length && bytes <= limit; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      bytes += bytesPer.text;
      at = endOfText(text, at);
    } else if (unit === comma) bytes += bytesPer.comma;
    else if (unit === colon) bytes += bytesPer.colon;
    else if (unit === openBrace || unit === openBracket) bytes += bytesPer.bracket;
  }
  return bytes;
}

/** The place of the closing quote of the text that opens at `start`; the end if there is none. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
