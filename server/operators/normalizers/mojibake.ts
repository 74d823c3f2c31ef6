// Undoes the decoding of UTF-8 with a single-byte encoding. The method is that of ftfy 6 (Robyn Speer, Apache-2.0):
// where unlikely characters are adjacent, encode and decode again; keep the result if it is valid UTF-8.
import { embedded, mojibake, upperHalves } from './mojibake-tables.ts';

type Encoding = {
  name: string;
  /** Whether a lost character (U+FFFD) may stand for one of the bytes. */
  isSloppy: boolean;
  bytes: ReadonlyMap<string, number>;
  fits: RegExp;
};

const lost = 0x1a;

const encodings: readonly Encoding[] = upperHalves.map(({ name, characters }) => {
  const isSloppy = name.startsWith('windows');
  const upper = [...characters].map((character, at): [string, number] => [character, at + 0x80]);
  const low = isSloppy ? String.raw`\u0000-\u0019\u001b-\u007f\ufffd` : String.raw`\u0000-\u007f`;
  return {
    name,
    isSloppy,
    bytes: new Map(isSloppy ? [...upper, ['\ufffd', lost]] : upper),
    fits: new RegExp(`^[${low}${characters}]*$`, 'u'),
  };
});

/** A text with more layers of mojibake can not be distinguished from noise. */
const maxRounds = 8;
const nonAscii = /[^\u0000-\u007f]/; // oxlint-disable-line no-control-regex
const c1 = /[\u0080-\u009f]/;
const allC1 = /[\u0080-\u009f]/g;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text with its mojibake repaired, line by line. */
export function repairMojibake(text: string): string {
  if (!nonAscii.test(text) || !mojibake.test(text)) return text;
  return text.replace(/[^\n]+/g, (line) => repairLine(line));
}

function repairLine(line: string): string {
  let text = line;
  for (let round = 0; round < maxRounds; round += 1) {
    const repaired = nonAscii.test(text) && mojibake.test(text) ? repairOnce(text) : text;
    if (repaired === text) break;
    text = repaired;
  }
  return text;
}

function repairOnce(text: string): string {
  for (const encoding of encodings) {
    const repaired = encoding.fits.test(text) ? decoded(text, encoding) : undefined;
    if (repaired !== undefined) return repaired;
  }
  const inPlaces = text.replace(embedded, (found) =>
    found.length < text.length && mojibake.test(found) ? repairLine(found) : found,
  );
  if (inPlaces !== text) return inPlaces;
  return c1.test(text) ? text.replace(allC1, fromWindows1252) : text;
}

const windows1252 = upperHalves.find(({ name }) => name === 'windows-1252')?.characters ?? '';

/** A C1 code as the Windows-1252 character of that byte, as in browsers. */
function fromWindows1252(control: string): string {
  return windows1252.charAt(control.charCodeAt(0) - 0x80);
}

/** The text re-encoded to bytes and decoded as UTF-8; undefined if that is not possible. */
function decoded(text: string, { name, isSloppy, bytes }: Encoding): string | undefined {
  let binary = '';
  for (const character of text) binary += String.fromCharCode(bytes.get(character) ?? character.charCodeAt(0));
  if (name !== 'macroman' && alteredSpace.test(binary)) binary = withNoBreakSpaces(binary);
  if (isSloppy) binary = binary.replace(lostBytes, '\u00ef\u00bf\u00bd');
  if (/[\u00ed\u00c0]/.test(binary)) binary = asStandardUtf8(binary);
  try {
    return utf8.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

// UTF-8 sequences in which a 0xA0 byte became a space.
const altered =
  '[\u00c2\u00c3\u00c5\u00ce\u00d0\u00d9][ ]|[\u00e2\u00e3][ ][\u0080-\u0084\u0086-\u009f\u00a1-\u00bf]|' +
  '[\u00e0-\u00e3][\u0080-\u0084\u0086-\u009f\u00a1-\u00bf][ ]|\u00f0[ ][\u0080-\u00bf][\u0080-\u00bf]|' +
  '\u00f0[\u0080-\u00bf][ ][\u0080-\u00bf]|\u00f0[\u0080-\u00bf][\u0080-\u00bf][ ]';
const alteredSpace = new RegExp(altered);
const alteredSpaces = new RegExp(altered, 'g');

/**
 * `à` is mostly a word of its own, so its space stays: Ã la → à la, except in Portuguese às, àquele, àquela, àquilo.
 */
function withNoBreakSpaces(binary: string): string {
  return binary
    .replace(/\u00c3 (?! |quele|quela|quilo|s )/g, '\u00c3\u00a0 ')
    .replace(alteredSpaces, (found) => found.replaceAll(' ', '\u00a0'));
}

// UTF-8 and CESU-8 sequences in which a byte was lost and became 0x1A or a question mark.
const lostBytes = new RegExp(
  [
    String.raw`[\u00c2-\u00df]\u001a`,
    String.raw`[\u00c2-\u00c3]\?`,
    String.raw`\u00ed[\u00a0-\u00af][\u001a?]\u00ed[\u00b0-\u00bf][\u001a?\u0080-\u00bf]`,
    String.raw`\u00ed[\u00a0-\u00af][\u001a?\u0080-\u00bf]\u00ed[\u00b0-\u00bf][\u001a?]`,
    String.raw`[\u00e0-\u00ef][\u001a?][\u001a\u0080-\u00bf]`,
    String.raw`[\u00e0-\u00ef][\u001a\u0080-\u00bf][\u001a?]`,
    String.raw`[\u00f0-\u00f4][\u001a?][\u001a\u0080-\u00bf][\u001a\u0080-\u00bf]`,
    String.raw`[\u00f0-\u00f4][\u001a\u0080-\u00bf][\u001a?][\u001a\u0080-\u00bf]`,
    String.raw`[\u00f0-\u00f4][\u001a\u0080-\u00bf][\u001a\u0080-\u00bf][\u001a?]`,
    String.raw`\u001a`,
  ].join('|'),
  'g',
);

/** Converts CESU-8 and Java's modified UTF-8: surrogates of three bytes each, and a NUL of two. */
function asStandardUtf8(binary: string): string {
  return binary
    .replace(/\u00ed([\u00a0-\u00af])([\u0080-\u00bf])\u00ed([\u00b0-\u00bf])([\u0080-\u00bf])/g, (...found) => {
      const [a = 0, b = 0, c = 0, d = 0] = found.slice(1, 5).map((byte: string) => byte.charCodeAt(0));
      const code = 0x1_0000 + ((a & 0x0f) << 16) + ((b & 0x3f) << 10) + ((c & 0x0f) << 6) + (d & 0x3f);
      return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
        .map((byte) => String.fromCharCode(byte))
        .join('');
    })
    .replaceAll('\u00c0\u0080', '\u0000');
}
