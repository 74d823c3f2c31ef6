import { createPostgresDatabase, postgres } from '../support/postgres.ts';
import { disturb, openSharedRuns } from '../support/shared-runs.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createRandom } from './random.ts';

const casesOf = { short: { cases: 1, disturbances: 5 }, full: { cases: 20, disturbances: 12 } } as const;

/**
 * Two processes share the runs of one PostgreSQL and are killed or paused beyond their lease: no checkpoint twice, none
 * missing, every run ends.
 */
export const sharedRuns: FaultFamily = {
  name: 'shared-runs',
  databases: ['postgres'],
  missing: () => (postgres.path === undefined ? `${postgres.name}: ${postgres.howToGet}` : undefined),
  jobs: 1,
  caseTimeoutMs: 600_000,
  async prepare(_t, { seed, size }) {
    const { cases, disturbances } = casesOf[size];
    return Array.from({ length: cases }, (_, number): FaultCase => {
      return {
        id: `disturbed-${number}`,
        async run(t) {
          const { url, drop } = await createPostgresDatabase();
          const shared = await openSharedRuns(url);
          t.after(async () => {
            await shared.close();
            await drop();
          });
          return { violations: await disturb(shared, createRandom(seed, number), disturbances) };
        },
      };
    });
  },
};
