import type { RecordColumn } from './schemas/columns.ts';
import { plainSchema, type OutputSchema } from './output-schema.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

type Recorded = Pick<InstructionDefinition, 'outputSchema' | 'columns'>;

/** JSON Schema of a template's records, also used to check edited ones. */
export function recordSchemaOf({ outputSchema, columns }: Recorded): OutputSchema {
  if (columns === undefined) return outputSchema ?? plainSchema;
  const shown = columns.filter(isShown);
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map((column) => [column.name, valueSchemaOf(column)])),
    required: shown.map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Whether the value of a column is part of the record. */
export function isShown({ kind, hidden }: RecordColumn): boolean {
  return hidden !== true && kind !== 'VALIDATOR';
}

/** Names of the fields of a record. */
export function recordFieldsOf(template: Recorded): string[] {
  return Object.keys(recordSchemaOf(template)['properties'] ?? {});
}

function valueSchemaOf({ kind, sampler, outputSchema }: RecordColumn): unknown {
  if (kind === 'MODEL') return outputSchema ?? { type: 'string' };
  if (kind === 'JUDGE') return gradeSchema;
  if (kind === 'SAMPLER') return { type: samplerTypes[sampler ?? 'ROW'] };
  return true;
}

const samplerTypes = { CATEGORY: 'string', NUMBER: 'number', DATE: 'string', ROW: 'object' };
const gradeSchema = {
  type: 'object',
  properties: { score: { type: 'number', minimum: 0, maximum: 10 }, reason: { type: 'string' } },
  required: ['score', 'reason'],
  additionalProperties: false,
};
