/** The last migration without its kind in its name: releases that know no later one refuse every newer database. */
const lastUnmarked = '0052-content-statistics';

/**
 * Whether earlier releases can still use the database after a migration: it adds tables, columns with defaults and indexes
 * (`…-expand`). A migration that removes or changes what those releases use is named `…-contract`.
 */
export function isExpanding(name: string): boolean {
  return name.endsWith('-expand');
}

/** Whether a migration must wait until no process of an earlier release is alive. */
export function isContracting(name: string): boolean {
  return name > lastUnmarked && !isExpanding(name);
}
