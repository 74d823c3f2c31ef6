/** RFC 3986, 6.2.2: upper-case digits, and no encoding where none is needed. */
export function sameEncoding(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
}

/**
 * A robots.txt whose paths compare with `robotsPathOf` (RFC 9309, 2.2.2): octets of unreserved characters are decoded, and
 * a dollar sign before the end of a path, which is no wildcard, is encoded.
 */
export function sameRobots(text: string): string {
  return text.replaceAll(/^([ \t]*(?:dis)?allow[ \t]*:)([^\r\n#]*)/gim, (_line, field: string, path: string) => {
    const end = path.trimEnd().length - 1;
    const literal = path.replaceAll('$', (_sign, at: number) => (at === end ? '$' : '%24'));
    return field + sameEncoding(literal);
  });
}

/** The path and query of an address as paths of `sameRobots` name them: an encoded wildcard stands for the character. */
export function robotsPathOf({ pathname, search }: URL): string {
  return sameEncoding(`${pathname}${search}`).replaceAll('*', '%2A').replaceAll('$', '%24');
}
