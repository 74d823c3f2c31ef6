import type { TObject } from 'typebox';
import type { SampleOperator } from '../operators/index.ts';
import type { OperatorManifest } from './manifest.ts';

/** The operator that a manifest describes; `each` is its code, which the service's own process never runs. */
export function toOperator(manifest: OperatorManifest, digest?: string): SampleOperator {
  const { id, version, title, summary, modality, kind, categories, params, examples } = manifest;
  const isWriter = kind === 'MAPPER' || kind === 'SPLITTER';
  return {
    id,
    version,
    name: title,
    description: summary,
    modality,
    kind,
    categories,
    params: params as unknown as TObject,
    examples,
    reads: manifest.reads ?? ['text'],
    writes: manifest.writes ?? (isWriter ? ['text'] : []),
    ...(digest === undefined ? {} : { digest }),
    each: refuse,
  };
}

function refuse(): never {
  throw new Error('The code of a published operator runs in the sandbox alone');
}
