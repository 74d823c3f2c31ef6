import type { AreaRoutes } from '../../http/routes.ts';
import { RetentionSchema, type RetentionView } from './schemas/retention.ts';

const tags = ['Settings'];

/** How long the service keeps its records. */
export function retentionRoutes({ retention }: { retention: RetentionView }): AreaRoutes {
  return (app) => {
    app.get(
      '/retention',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRetention',
          summary: 'Get how long runs and model replies are kept',
          tags,
          response: { 200: RetentionSchema },
        },
      },
      () => retention,
    );
  };
}
