import { bitFlips } from './bit-flips.ts';
import type { FaultFamily } from './family.ts';
import { histories } from './histories.ts';
import { injected } from './injected.ts';
import { slowClients } from './slow-clients.ts';
import { slowHttpTest } from './slowhttptest.ts';
import { soak } from './soak.ts';

/** All families, in the order in which a campaign runs them. */
export const families: readonly FaultFamily[] = [injected, histories, bitFlips, slowClients, slowHttpTest, soak];
