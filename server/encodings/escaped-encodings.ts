// Encodings of seven bits, in which escape sequences switch between character sets: they look like ASCII.

/** What follows an escape character where a character set of two bytes begins (ISO 2022; RFC 1468, RFC 1557). */
const japanese = /^(?:\$[@B]|\$\([D@B]|\([JI])/;
const korean = '$)C';

/** The encoding of bytes that contain its escape sequences; undefined for others. */
export function escapedEncoding(bytes: Uint8Array): 'iso-2022-jp' | 'iso-2022-kr' | undefined {
  if (!bytes.includes(0x1b) || bytes.some((byte) => byte >= 0x80 || byte === 0)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const sequences = text.split('\x1b').slice(1);
  if (sequences.some((sequence) => sequence.startsWith(korean))) return 'iso-2022-kr';
  return sequences.some((sequence) => japanese.test(sequence)) ? 'iso-2022-jp' : undefined;
}

/** Decodes one of these encodings by its label; undefined for other labels, and for bytes that do not fit. */
export function decodeEscaped(label: string, bytes: Uint8Array): string | undefined {
  const name = label.trim().toLowerCase();
  try {
    if (/^(?:cs)?iso-?2022-?jp/.test(name))
      return escapedEncoding(bytes) === 'iso-2022-jp' ? decodeJapanese(bytes) : undefined;
    if (/^(?:cs)?iso-?2022-?kr/.test(name))
      return escapedEncoding(bytes) === 'iso-2022-kr' ? decodeKorean(bytes) : undefined;
    return /^hz(?:-gb-2312)?$/.test(name) ? decodeHz(bytes) : undefined;
  } catch {
    return undefined;
  }
}

function decodeJapanese(bytes: Uint8Array): string {
  return new TextDecoder('iso-2022-jp').decode(bytes);
}

/** Between SO and SI, the bytes are those of EUC-KR without their high bit. */
function decodeKorean(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1').replaceAll(`\x1b${korean}`, '');
  const [before = '', ...shifts] = text.split('\x0e');
  return before + shifts.map(decodeShift).join('');
}

function decodeShift(text: string): string {
  const end = text.search(/\n|$/);
  const back = text.indexOf('\x0f');
  const inner = back === -1 ? text.slice(0, end) : text.slice(0, back);
  const rest = back === -1 ? text.slice(end) : text.slice(back + 1);
  return withHighBits(inner, 'euc-kr') + rest;
}

/** RFC 1843: between `~{` and `~}`, the bytes are those of GB 2312 without their high bit. */
function decodeHz(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.includes('~{')) return undefined;
  return text
    .replaceAll('~\n', '')
    .replaceAll(/~\{((?:[!-}][!-~])*)(?:~\}|(?=\n)|$)/g, (_, inner: string) => withHighBits(inner, 'gb18030'))
    .replaceAll('~~', '~');
}

function withHighBits(text: string, encoding: string): string {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0) | (character > ' ' ? 0x80 : 0));
  return new TextDecoder(encoding).decode(bytes);
}
