import { STATUS_CODES } from 'node:http';
import { Type, type TSchema } from 'typebox';
import { nameOf, namedObject } from './schemas.ts';

/** The schema of an answer inside `{code, message, data}`. */
export function envelopeSchema(data: TSchema): TSchema {
  return namedObject(`${nameOf(data)}Envelope`, { code: Type.Integer(), message: Type.String(), data });
}

/** Wraps what a handler of an enveloped area returned. */
export function envelope(status: number, data: unknown): { code: number; message: string; data: unknown } {
  return { code: status, message: STATUS_CODES[status] ?? '', data };
}
