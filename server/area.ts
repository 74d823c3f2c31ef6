// What an area is to the service. Every key must be given, so that an area that forgets one does not compile.
import type { ContentHolder, LineageSource } from './areas/data-management/index.ts';
import type { AreaRoutes } from './http/routes.ts';
import type { LifetimePart } from './kernel/lifetime.ts';
import type { RunNames } from './tasks/index.ts';

/** What areas know that other areas need. */
export type Contributions = {
  /** Where else content of files is kept: a purge erases it there, too. */
  contentHolders: readonly ContentHolder[];
  /** What was made of the versions of datasets outside of runs. */
  lineageSources: readonly LineageSource[];
  /** Names of runs that belong to no task. */
  runNames: RunNames;
};

export type Area = Contributions &
  LifetimePart & {
    /** Under the prefix of the API: `/data-cleaning`. */
    prefix: string;
    routes: AreaRoutes;
    /** Whether its answers have an envelope. */
    envelope: boolean;
  };

/** What all of them contribute together. */
export function contributionsOf(areas: readonly Contributions[]): Contributions {
  return {
    contentHolders: areas.flatMap(({ contentHolders }) => contentHolders),
    lineageSources: areas.flatMap(({ lineageSources }) => lineageSources),
    runNames: Object.assign({}, ...areas.map(({ runNames }) => runNames)) as RunNames,
  };
}
