// The operators for the workers of the cleaning benchmark: the built-in ones and two that do almost nothing.
import { Type } from 'typebox';
import { operators as builtIn } from '../server/operators/index.ts';
import { defineOperator, type Operator } from '../server/operators/operator.ts';

const metadata = {
  version: '1.0.0',
  name: 'Benchmark',
  description: 'Benchmark.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: [],
  params: Type.Object({}),
  examples: [],
} as const;

const passer = defineOperator({ ...metadata, id: 'passer', each: () => (sample) => sample });

/** Changes every sample, so that every row must be rewritten. */
const toucher = defineOperator({ ...metadata, id: 'toucher', each: () => (sample) => ({ text: `${sample.text}.` }) });

export const operators: readonly Operator[] = [...builtIn, passer, toucher];
