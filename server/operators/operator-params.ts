import { reasonOf } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/reason.ts';
import { AppError } from '../kernel/errors.ts';
import { createKnownFieldsReader } from '../kernel/known-fields.ts';
import { findSchemaProblem } from '../kernel/schema-problem.ts';
import { withLists } from './list-param.ts';
import type { Operator } from './operator.ts';

export type ParsedParams =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly field: string; readonly problem: Reason };

/** Fills in defaults, drops unknown fields and checks parameters against the operator's schema; a text for a list is cut at its commas. */
export function parseParams(operator: Operator, given: unknown): ParsedParams {
  const known = readKnown(operator, given);
  if (known instanceof AppError) return { ok: false, field: known.field ?? '', problem: problemOf(known) };
  const params = withLists(operator.params, known);
  const wrong = findSchemaProblem(operator.params, params);
  if (wrong !== undefined) return { ok: false, ...wrong };
  const checked = params as Readonly<Record<string, unknown>>;
  const problem = operator.check?.(checked);
  return problem === undefined ? { ok: true, params: checked } : { ok: false, ...problem };
}

/** The known parameters, or why they can't be read. */
function readKnown(operator: Operator, given: unknown): unknown {
  try {
    return knownParams(operator)(given ?? {});
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function problemOf(error: AppError): Reason {
  const { problem } = error.values;
  return typeof problem === 'object' ? problem : reasonOf(error);
}

const readers = new WeakMap<Operator, ReturnType<typeof createKnownFieldsReader>>();

function knownParams(operator: Operator): ReturnType<typeof createKnownFieldsReader> {
  const known = readers.get(operator) ?? createKnownFieldsReader(operator.params);
  readers.set(operator, known);
  return known;
}
