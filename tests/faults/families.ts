import { backups } from './backups.ts';
import { bitFlips } from './bit-flips.ts';
import { cluster } from './cluster.ts';
import { diskFull } from './disk-full.ts';
import { engineKill } from './engine-kill.ts';
import type { FaultFamily } from './family.ts';
import { histories } from './histories.ts';
import { injected } from './injected.ts';
import { powerLoss } from './power-loss.ts';
import { ragKill } from './rag-kill.ts';
import { recovery } from './recovery.ts';
import { restarts } from './restarts.ts';
import { sharedRuns } from './shared-runs.ts';
import { slowClients } from './slow-clients.ts';
import { slowHttpTest } from './slowhttptest.ts';
import { soak } from './soak.ts';
import { synthesisKill } from './synthesis-kill.ts';

/** All families, in the order in which a campaign runs them. */
export const families: readonly FaultFamily[] = [
  injected,
  recovery,
  powerLoss,
  diskFull,
  histories,
  bitFlips,
  backups,
  engineKill,
  synthesisKill,
  ragKill,
  restarts,
  sharedRuns,
  cluster,
  slowClients,
  slowHttpTest,
  soak,
];
