// The interface between an area and the service. Every key is required, so that an area that omits one does not
// compile.
import type { ContentHolder, LineageSource } from './areas/data-management/index.ts';
import type { AreaRoutes } from './http/routes.ts';
import type { LifetimePart } from './kernel/lifetime.ts';
import type { RunNames } from './tasks/index.ts';

/** What areas provide for other areas. */
export type Contributions = {
  /** Other places where file content is kept; purges erase it there as well. */
  contentHolders: readonly ContentHolder[];
  /** What was made from dataset versions outside of runs. */
  lineageSources: readonly LineageSource[];
  /** Names of runs that belong to no task. */
  runNames: RunNames;
};

export type Area = Contributions &
  LifetimePart & {
    /** Path under the API's prefix, such as `/data-cleaning`. */
    prefix: string;
    routes: AreaRoutes;
    /** Whether its responses are wrapped in an envelope. */
    envelope: boolean;
  };

/** Merges the contributions of all areas. */
export function contributionsOf(areas: readonly Contributions[]): Contributions {
  return {
    contentHolders: areas.flatMap(({ contentHolders }) => contentHolders),
    lineageSources: areas.flatMap(({ lineageSources }) => lineageSources),
    runNames: Object.assign({}, ...areas.map(({ runNames }) => runNames)) as RunNames,
  };
}
