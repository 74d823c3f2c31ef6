/** Any part of a secret of at least this length is redacted; shorter parts occur in any text. */
const shortestPiece = 8;
const shown = '[redacted]';

/** Whether a secret is too long to occur by chance; a shorter one, such as "none" or "test", is part of common words. */
export function isUnmistakable(secret: string): boolean {
  return secret.length >= shortestPiece;
}

/**
 * Removes secrets from third-party text (a response that repeats the key it was sent): the whole secret and parts of 8
 * characters or more, in upper or lower case, percent-encoded or as base64.
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    const bytes = Buffer.from(secret);
    const forms = [encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex'), secret];
    for (const form of new Set(forms.map((each) => each.toLowerCase()))) clean = withoutPieces(clean, form);
  }
  return clean.replaceAll(/(?:\[redacted\])+/g, shown);
}

/** The same for every text in a JSON value, names of fields and numbers included. */
export function redactAll(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0 || value === null) return value;
  switch (typeof value) {
    case 'string':
      return redact(value, secrets);
    case 'number': {
      const text = String(value);
      return redact(text, secrets) === text ? value : shown;
    }
    case 'object':
      return Array.isArray(value)
        ? value.map((each) => redactAll(each, secrets))
        : Object.fromEntries(
            Object.entries(value).map(([name, each]) => [redact(name, secrets), redactAll(each, secrets)]),
          );
    default:
      return value;
  }
}

function withoutPieces(text: string, secret: string): string {
  const piece = Math.min(shortestPiece, secret.length);
  const lower = text.toLowerCase();
  // Lower-casing changes the length of a few letters, none of which is in a key; positions would not match then.
  if (lower.length !== text.length) return text.replaceAll(secret, shown);
  let clean = '';
  for (let at = 0; at < text.length;) {
    let length = secret.includes(lower.slice(at, at + piece)) && at + piece <= text.length ? piece : 0;
    while (length > 0 && at + length < text.length && secret.includes(lower.slice(at, at + length + 1))) length += 1;
    clean += length === 0 ? text.charAt(at) : shown;
    at += Math.max(1, length);
  }
  return clean;
}
