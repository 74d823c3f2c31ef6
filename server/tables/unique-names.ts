/** Column names that SQL accepts: no NUL, no lone surrogates, no duplicates. */
export function sqlNames(columns: readonly { name: string }[]): string[] {
  return uniqueNames(columns.map(({ name }) => name.toWellFormed().replaceAll('\0', '\uFFFD')));
}

/**
 * Makes names unique under `keyOf` and non-empty: a second `a` becomes `a_2`, an unnamed third column `column_3`. The
 * default ignores case, as SQL does.
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
    // Does not take the original name of a later column.
    const isFree = (one: string): boolean => !taken.has(keyOf(one)) && (one === name || !given.has(keyOf(one)));
    for (let number = 2; !isFree(unique); number += 1) unique = `${wanted}_${number}`;
    taken.add(keyOf(unique));
    return unique;
  });
}
