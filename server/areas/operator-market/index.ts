import type { Engine } from '../../engine/index.ts';
import { operators } from '../../operators/index.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { createOperators } from './operators.ts';
import { operatorMarketRoutes } from './routes.ts';
import { createSpeeds } from './speeds.ts';
import { createTrials } from './trials.ts';

/** The area that lists the available operators, lets people try them, and measures them. */
export function createOperatorMarket({
  tasks,
  engine,
}: {
  tasks: Pick<TaskFloor, 'countUses'>;
  engine: Pick<Engine, 'previewTexts' | 'measureSpeed'>;
}): {
  routes: ReturnType<typeof operatorMarketRoutes>;
} {
  return {
    routes: operatorMarketRoutes({
      operators: createOperators({ tasks, operators }),
      trials: createTrials({ engine, operators }),
      speeds: createSpeeds({ engine, operators }),
    }),
  };
}
