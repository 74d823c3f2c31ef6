const longest = 100;

/** The name, with the first free number from 2 on appended if the name is taken. */
export function freeName(name: string, taken: readonly string[]): string {
  const used = new Set(taken);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const proposed = `${[...name].slice(0, longest - suffix.length).join('')}${suffix}`;
    if (!used.has(proposed)) return proposed;
  }
}
