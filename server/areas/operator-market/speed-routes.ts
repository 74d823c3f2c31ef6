import type { AreaRoutes } from '../../http/routes.ts';
import { OperatorSpeedsSchema } from './schemas/operators.ts';
import type { Speeds } from './speeds.ts';

const tags = ['Operator market'];

/** Speeds of operators on this machine. */
export function speedRoutes({ speeds }: { speeds: Speeds }): AreaRoutes {
  return (app) => {
    app.get(
      '/speeds',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listOperatorSpeeds',
          summary: 'Get the speed of the operators on this machine',
          description:
            'Measured once per process after the first request, which takes a few seconds; on a busy machine, returns early with the results so far and what is pending. Each operator runs with its default parameters, on one core, over documents of ' +
            'about 2,000 characters, three in English to one in Chinese, or over a JPEG and a PNG of half a megapixel. For operators over the whole set, only computing the signatures of samples is measured.',
          tags,
          response: { 200: OperatorSpeedsSchema },
        },
      },
      () => speeds.list(),
    );
  };
}
