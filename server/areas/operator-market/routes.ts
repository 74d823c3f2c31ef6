import type { AreaRoutes } from '../../http/routes.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import type { Comparisons } from './comparisons.ts';
import { operatorRoutes } from './operator-routes.ts';
import type { Operators } from './operators.ts';
import { speedRoutes } from './speed-routes.ts';
import type { Speeds } from './speeds.ts';
import { trialRoutes } from './trial-routes.ts';
import type { Trials } from './trials.ts';

export type OperatorMarketNouns = {
  operators: Operators;
  trials: Trials;
  comparisons: Comparisons;
  speeds: Speeds;
};

/** Routes under `/operator-market`. */
export function operatorMarketRoutes(nouns: OperatorMarketNouns): AreaRoutes {
  return async (app) => {
    await operatorRoutes(nouns)(app);
    await trialRoutes(nouns)(app);
    await comparisonRoutes(nouns)(app);
    await speedRoutes(nouns)(app);
  };
}
