import { Type, type Static, type TObject } from 'typebox';

const maxReferences = 20;

/** Marks the parameter that names other datasets: forms offer datasets, and the service checks that they exist. */
const mark = 'x-datasets';

const DatasetReferenceSchema = Type.Object({
  datasetId: Type.String({ minLength: 1, maxLength: 64, title: 'Dataset', description: 'Dataset to compare with' }),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      title: 'Version',
      description: 'Version to compare with; default: the current one when a run starts',
    }),
  ),
  prefix: Type.Optional(
    Type.String({ maxLength: 1000, title: 'Folder', description: 'Use only files in this folder; default: all' }),
  ),
  field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      title: 'Field',
      description: 'Text column, or a path into the row, for all of its tables; default: detected',
    }),
  ),
});

/** Another dataset that the samples of a run are compared with. */
export type DatasetReference = Static<typeof DatasetReferenceSchema>;

/** The schema of a parameter that names up to 20 other datasets, with which the operator compares the samples of a run. */
export function datasetReferences(texts: { title: string; description: string }) {
  return Type.Array(DatasetReferenceSchema, { ...texts, default: [], maxItems: maxReferences, [mark]: true });
}

/** The name of the parameter that names other datasets; undefined if the step has none. */
export function findReferencesParam(params: TObject): string | undefined {
  return Object.entries(params.properties).find(([, schema]) => mark in schema)?.[0];
}

/** The other datasets that a step names. */
export function referencesOf(schema: TObject, params: Readonly<Record<string, unknown>>): readonly DatasetReference[] {
  const param = findReferencesParam(schema);
  // Steps stored by earlier releases lack the parameter.
  return param === undefined ? [] : ((params[param] ?? []) as readonly DatasetReference[]);
}
