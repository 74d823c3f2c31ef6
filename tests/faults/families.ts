import type { FaultFamily } from './family.ts';

/** All families, in the order in which a campaign runs them. */
export const families: readonly FaultFamily[] = [];
