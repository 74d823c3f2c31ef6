// The workers' operators in the benchmark of published operators: the built-in ones, and the examples as built-in ones.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sentenceGroupSplitter from '../examples/operators/sentence-group-splitter/operator.ts';
import { toOperator, type OperatorManifest } from '../server/operator-packages/index.ts';
import { operators as builtIn, type Operator, type SampleOperator } from '../server/operators/index.ts';

type Code = { default: { each: SampleOperator['each'] } };

/** The folder of an example. */
export function folderOf(example: string): string {
  return fileURLToPath(new URL(`../examples/operators/${example}`, import.meta.url));
}

/** The id of an example as a built-in operator. */
export function builtInId(example: string): string {
  return `built-in-${example}`;
}

function builtInOf(example: string, each: unknown): Operator {
  const manifest = JSON.parse(readFileSync(`${folderOf(example)}/operator.json`, 'utf8')) as OperatorManifest;
  return { ...toOperator(manifest), id: builtInId(example), each: each as SampleOperator['each'] };
}

const linkRemover = (await import(
  new URL('../examples/operators/link-remover/operator.js', import.meta.url).href
)) as Code;

export const operators: readonly Operator[] = [
  ...builtIn,
  builtInOf('link-remover', linkRemover.default.each),
  builtInOf('sentence-group-splitter', sentenceGroupSplitter.each),
];
