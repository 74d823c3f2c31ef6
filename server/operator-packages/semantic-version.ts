/** https://semver.org/#is-there-a-suggested-regular-expression-regex-to-check-a-semver-string */
export const semanticVersionPattern =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$';

/** Precedence of two semantic versions: negative if the first one is older. Build metadata (`+…`) is ignored. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (const [at, number] of first.numbers.entries()) {
    const difference = compareNumbers(number, second.numbers[at] ?? '0');
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

function partsOf(version: string): { numbers: string[]; labels: string[] } {
  const [core = '', ...rest] = (version.split('+')[0] ?? '').split('-');
  const label = rest.join('-');
  return { numbers: core.split('.'), labels: label === '' ? [] : label.split('.') };
}

/** Compares whole numbers of any length, without leading zeros. */
function compareNumbers(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

/** Compares pre-release labels: numbers come before words and compare as numbers. */
function compareLabels(one: string, other: string): number {
  const [first, second] = [one, other].map((label) => /^\d+$/.test(label));
  if (first === true && second === true) return compareNumbers(one, other);
  if (first === true) return -1;
  if (second === true) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
