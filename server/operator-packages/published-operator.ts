import type { TObject } from 'typebox';
import { budgetParams, type SampleOperator } from '../operators/index.ts';
import type { OperatorManifest } from './manifest.ts';

/** The operator that a manifest describes; `each` is its code, which never runs in the service's own process. */
export function toOperator(manifest: OperatorManifest, digest?: string): SampleOperator {
  const { id, version, title, summary, modality, kind, categories, params, examples, thresholds, models } = manifest;
  const isWriter = kind === 'MAPPER' || kind === 'SPLITTER';
  return {
    id,
    version,
    name: title,
    description: summary,
    modality,
    kind,
    categories,
    params: (models === undefined ? params : withBudget(params)) as unknown as TObject,
    ...(models === undefined ? {} : { models }),
    examples,
    reads: manifest.reads ?? ['text'],
    writes: manifest.writes ?? (isWriter ? ['text'] : []),
    ...(thresholds === undefined ? {} : { thresholds }),
    ...(digest === undefined ? {} : { digest }),
    each: refuse,
  };
}

/** Adds budget parameters: users limit a step that asks models, whatever its code does. */
function withBudget(params: OperatorManifest['params']): OperatorManifest['params'] {
  return { ...params, properties: { ...Object(params['properties']), ...budgetParams } };
}

function refuse(): never {
  throw new Error('The code of a published operator runs in the sandbox alone');
}
