/** https://semver.org/#is-there-a-suggested-regular-expression-regex-to-check-a-semver-string */
export const semanticVersionPattern =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$';

/** Order of precedence of two semantic versions: negative if the first one is the older. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (const [at, number] of first.numbers.entries()) {
    const difference = number - (second.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.labels.length === 0 || second.labels.length === 0) return second.labels.length - first.labels.length;
  for (const [at, label] of first.labels.entries()) {
    const against = second.labels[at];
    if (against === undefined) return 1;
    const difference = compareLabels(label, against);
    if (difference !== 0) return difference;
  }
  return first.labels.length - second.labels.length;
}

function partsOf(version: string): { numbers: number[]; labels: string[] } {
  const [core = '', ...rest] = (version.split('+')[0] ?? '').split('-');
  const label = rest.join('-');
  return { numbers: core.split('.').map(Number), labels: label === '' ? [] : label.split('.') };
}

/** Numbers come before words and are compared as numbers. */
function compareLabels(one: string, other: string): number {
  const [first, second] = [one, other].map((label) => (/^\d+$/.test(label) ? Number(label) : undefined));
  if (first !== undefined && second !== undefined) return first - second;
  if (first !== undefined) return -1;
  if (second !== undefined) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
