/** The last migration whose name says nothing of its kind: releases that know no further one refuse every newer database. */
const lastUnmarked = '0052-content-statistics';

/**
 * Whether releases before a migration can go on with the database after it: it adds tables, columns with defaults and indexes (`…-expand`). One
 * that removes or changes what those releases use is called `…-contract`.
 */
export function isExpanding(name: string): boolean {
  return name.endsWith('-expand');
}

/** Whether a migration must wait until no process of a release before it is alive. */
export function isContracting(name: string): boolean {
  return name > lastUnmarked && !isExpanding(name);
}
