import { bitFlips } from './bit-flips.ts';
import type { FaultFamily } from './family.ts';
import { histories } from './histories.ts';
import { injected } from './injected.ts';

/** All families, in the order in which a campaign runs them. */
export const families: readonly FaultFamily[] = [injected, histories, bitFlips];
