import { ModelCallError, WayRefusedError } from './errors.ts';
import { identityOf, type Model } from './model.ts';
import { schemaWays, type ChatReply, type Provider, type SchemaWay } from './providers/provider.ts';

/** Passes a schema to each model in the strictest way that it has not refused. */
export type SchemaWays = {
  /** Throws WayRefusedError if the model refuses the way of this call; the next call uses the next way. */
  chat(model: Model, provider: Provider, call: Parameters<Provider['chat']>[0]): Promise<ChatReply>;
};

export function createSchemaWays(): SchemaWays {
  /** The current way of models that refused a stricter one. */
  const ways = new Map<string, SchemaWay>();
  return {
    async chat(model, provider, call) {
      const id = identityOf(model);
      const way = ways.get(id) ?? schemaWays[0];
      try {
        return await provider.chat(call, way);
      } catch (error) {
        const next = schemaWays[schemaWays.indexOf(way) + 1];
        const refusesSchema =
          call.schema !== undefined &&
          next !== undefined &&
          error instanceof ModelCallError &&
          (error.status === 400 ||
            error.status === 404 ||
            error.status === 415 ||
            error.status === 422 ||
            error.status === 501) &&
          /response_format|json_schema|json_object|schema|format|grammar|support/i.test(error.message);
        if (!refusesSchema) throw error;
        // Another call may already have moved further.
        if (schemaWays.indexOf(ways.get(id) ?? schemaWays[0]) < schemaWays.indexOf(next)) ways.set(id, next);
        throw new WayRefusedError(error);
      }
    },
  };
}
