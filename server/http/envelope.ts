import { STATUS_CODES } from 'node:http';
import { Type, type TSchema } from 'typebox';
import { nameOf, namedObject } from './schemas.ts';
import type { AreaApp } from './routes.ts';

const envelopes = new WeakMap<TSchema, TSchema>();

/** The schema of an answer inside `{code, message, data}`: one for each schema of an answer. */
export function envelopeSchema(data: TSchema): TSchema {
  let schema = envelopes.get(data);
  if (schema === undefined) {
    schema = namedObject(`${nameOf(data)}Envelope`, { code: Type.Integer(), message: Type.String(), data });
    envelopes.set(data, schema);
  }
  return schema;
}

/** Wraps what a handler of an enveloped area returned. */
export function envelope(status: number, data: unknown): { code: number; message: string; data: unknown } {
  return { code: status, message: STATUS_CODES[status] ?? '', data };
}

export function envelopeAnswers(area: AreaApp): void {
  area.addHook('onRoute', (route) => {
    const response = route.schema?.response as Record<string, TSchema> | undefined;
    if (response === undefined) return;
    const wrapped: Record<string, TSchema> = {};
    for (const [status, schema] of Object.entries(response))
      wrapped[status] =
        status.startsWith('2') && status !== '204' && !('content' in schema) ? envelopeSchema(schema) : schema;
    route.schema = { ...route.schema, response: wrapped };
  });
  area.addHook('preSerialization', (_request, reply, payload, done) => {
    done(null, envelope(reply.statusCode, payload));
  });
}
