import { ClusterProblem, type RunCluster } from '../../runs/index.ts';
import type { ClusterRecord } from './schemas/cluster.ts';

/** The state of the cluster that drives runs, queried on each call. */
export type ClusterView = { find(): Promise<ClusterRecord> };

export function createClusterView(cluster: Pick<RunCluster, 'address' | 'maxRuns' | 'list'> | undefined): ClusterView {
  return {
    async find() {
      if (cluster === undefined) return { address: null, state: 'NONE', problem: null, runs: 0, maxRuns: null };
      const { address, maxRuns } = cluster;
      try {
        const runs = (await cluster.list()).filter(({ isLive }) => isLive).length;
        return { address, state: 'REACHABLE', problem: null, runs, maxRuns };
      } catch (error) {
        if (!(error instanceof ClusterProblem)) throw error;
        const state = error.isRefusal ? 'REFUSING' : 'AWAY';
        return { address, state, problem: error.message, runs: 0, maxRuns };
      }
    },
  };
}
