/** Replaces a badly encoded value; validation refuses it, because it is not well-formed. */
const notWellFormed = '\udc00';

export type Query = Record<string, string | string[]>;

/**
 * Parses a query string; a parameter that is given several times becomes an array. A value that is badly percent-encoded
 * (or not UTF-8) becomes a string that is not well-formed, so that its field can be named when it is validated.
 */
export function parseQueryString(text: string): Query {
  const query: Query = Object.create(null) as Query;
  if (text === '') return query;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    const earlier = query[name];
    if (earlier === undefined) query[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else query[name] = [earlier, value];
  }
  return query;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return notWellFormed;
  }
}

/**
 * Makes a badly encoded path routable: a segment that can't be decoded is replaced by one that no id pattern allows, so
 * that the route answers 400 and names the parameter, after it has checked the credential.
 */
export function routablePath(url: string): string {
  if (!url.includes('%')) return url;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (isDecodable(path)) return url;
  const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : '~badly-encoded~'));
  return segments.join('/') + (end === -1 ? '' : url.slice(end));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
