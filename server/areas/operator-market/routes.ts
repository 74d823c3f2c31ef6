// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { installationRoutes } from './installation-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { publisherKeyRoutes } from './publisher-key-routes.ts';
import { publishingRoutes } from './publishing-routes.ts';
import { speedRoutes } from './speed-routes.ts';
import { trialRoutes } from './trial-routes.ts';

export type OperatorMarketNouns = Parameters<typeof comparisonRoutes>[0] &
  Parameters<typeof installationRoutes>[0] &
  Parameters<typeof operatorRoutes>[0] &
  Parameters<typeof publisherKeyRoutes>[0] &
  Parameters<typeof publishingRoutes>[0] &
  Parameters<typeof speedRoutes>[0] &
  Parameters<typeof trialRoutes>[0];

/** Routes under `/operator-market`. */
export function operatorMarketRoutes(nouns: OperatorMarketNouns): AreaRoutes {
  return async (app) => {
    await operatorRoutes(nouns)(app);
    await trialRoutes(nouns)(app);
    await comparisonRoutes(nouns)(app);
    await speedRoutes(nouns)(app);
    await publishingRoutes(nouns)(app);
    await installationRoutes(nouns)(app);
    await publisherKeyRoutes(nouns)(app);
  };
}
