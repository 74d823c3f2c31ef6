/**
 * `Content-Disposition` that makes browsers save under `fileName` (RFC 6266): the name in UTF-8, percent-encoded, and an ASCII
 * form for old clients. The value is always one line of printable ASCII.
 */
export function attachmentOf(fileName: string): string {
  const name = fileName.toWellFormed().replace(unsafe, '_');
  const ascii = name
    .normalize('NFKD')
    .replace(marks, '')
    .replace(/[^ -~]|["%/\\]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /[*'()]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Path separators of any system, control characters, and direction marks that can hide an extension. */
// oxlint-disable-next-line no-control-regex
const unsafe = /[/\\\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Combining accents, which decomposition separates: "é" becomes "e". */
const marks = /\p{M}/gu;
