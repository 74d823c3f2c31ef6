import { operators } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { createOperators } from './operators.ts';
import { operatorMarketRoutes } from './routes.ts';

/** The area that shows which operators there are. */
export function createOperatorMarket({ db }: { db: Database }): { routes: ReturnType<typeof operatorMarketRoutes> } {
  return { routes: operatorMarketRoutes({ operators: createOperators({ db, operators }) }) };
}
