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
          summary: 'How fast the operators are on this machine',
          description:
            'Measured once per process from the first question on, which takes some seconds; a busy machine answers sooner, with what it knows, and says what is pending. Each operator with its default parameters, on one core, over documents of ' +
            'about 2,000 characters, three in English to one in Chinese, or over a JPEG and a PNG of half a megapixel. Of operators over the whole set, the signing of samples is measured.',
          tags,
          response: { 200: OperatorSpeedsSchema },
        },
      },
      () => speeds.list(),
    );
  };
}
