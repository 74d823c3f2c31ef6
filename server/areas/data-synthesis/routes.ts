import type { AreaRoutes } from '../../http/routes.ts';
import type { SynthesisPreviews } from './previews.ts';
import { templateRoutes } from './template-routes.ts';
import type { InstructionTemplates } from './templates.ts';

/** Routes under `/data-synthesis`. */
export function dataSynthesisRoutes(services: {
  templates: InstructionTemplates;
  previews: SynthesisPreviews;
}): AreaRoutes {
  return async (app) => {
    await templateRoutes(services)(app);
  };
}
