import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../../http/schemas.ts';

export const clusterStates = ['NONE', 'REACHABLE', 'AWAY', 'REFUSING'] as const;

export const ClusterSchema = namedObject('Cluster', {
  address: nullable(
    Type.String({ description: 'Head of the Ray cluster that drives runs (`TILTH_RAY_URL`); null without one' }),
  ),
  state: oneOf('ClusterState', clusterStates, {
    description:
      'NONE: the nodes drive the runs. REFUSING: the cluster responds with errors, for example because of a wrong token',
  }),
  problem: nullable(Type.String({ description: 'Why it cannot be used' })),
  runs: Type.Integer({ description: 'Runs of this installation that it drives' }),
  maxRuns: nullable(Type.Integer({ description: 'Runs that it may drive at a time (`TILTH_RAY_RUNS`)' })),
});

export type ClusterRecord = Static<typeof ClusterSchema>;
