import { operators } from '../../operators/index.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { createOperators } from './operators.ts';
import { operatorMarketRoutes } from './routes.ts';

/** The area that lists the available operators. */
export function createOperatorMarket({ tasks }: { tasks: Pick<TaskFloor, 'countUses'> }): {
  routes: ReturnType<typeof operatorMarketRoutes>;
} {
  return { routes: operatorMarketRoutes({ operators: createOperators({ tasks, operators }) }) };
}
