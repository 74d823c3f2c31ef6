// What the workers of the cleaning benchmark run: the built-in operators and two that do nothing or next to nothing.
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

/** Changes every sample, so that every row has to be written anew. */
const toucher = defineOperator({ ...metadata, id: 'toucher', each: () => (sample) => ({ text: `${sample.text}.` }) });

export const operators: readonly Operator[] = [...builtIn, passer, toucher];
