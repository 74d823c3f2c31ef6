/** The names that SQL has for columns: statements hold no NUL and no halves of characters. */
export function sqlNames(columns: readonly { name: string }[]): string[] {
  return uniqueNames(columns.map(({ name }) => name.toWellFormed().replaceAll('\0', '\uFFFD')));
}

/**
 * Names of which no two are the same to `keyOf`, and none is empty: the second `a` is `a_2`, the third one of no name `column_3`. SQL does not tell names by
 * their case.
 */
export function uniqueNames(
  names: readonly string[],
  keyOf: (name: string) => string = (name) => name.toLowerCase(),
): string[] {
  const given = new Set(names.map(keyOf));
  const taken = new Set<string>();
  return names.map((name, place) => {
    const wanted = name === '' ? `column_${place + 1}` : name;
    let unique = wanted;
    // A later column keeps a name of its own.
    const isFree = (one: string): boolean => !taken.has(keyOf(one)) && (one === name || !given.has(keyOf(one)));
    for (let number = 2; !isFree(unique); number += 1) unique = `${wanted}_${number}`;
    taken.add(keyOf(unique));
    return unique;
  });
}
