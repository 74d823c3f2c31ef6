import { operators } from '../../operators/index.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { createOperators } from './operators.ts';
import { operatorMarketRoutes } from './routes.ts';

/** The area that shows which operators there are. */
export function createOperatorMarket({ tasks }: { tasks: Pick<TaskFloor, 'countUses'> }): {
  routes: ReturnType<typeof operatorMarketRoutes>;
} {
  return { routes: operatorMarketRoutes({ operators: createOperators({ tasks, operators }) }) };
}
