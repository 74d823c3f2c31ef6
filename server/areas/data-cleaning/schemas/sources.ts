import { type Static, Type, type TObject } from 'typebox';
import { IdSchema, namedObject, nullable } from '../../../http/schemas.ts';

export const MoreSourceSchema = namedObject('CleaningSource', {
  datasetId: IdSchema,
  datasetName: Type.String(),
  version: nullable(Type.Integer({ description: 'Null: the current version at the start of each run' })),
  prefix: Type.String({ description: 'Folder of it to read; empty: all' }),
  folder: Type.String({ description: 'Folder of its files during the run and in the result' }),
});

export type MoreSource = Static<typeof MoreSourceSchema>;

export const maxMoreSources = 50;

/** The datasets that are read. */
export const newSourceFields = {
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Default: the current version at the start of each run' }),
  ),
  sourceFolder: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'With `moreSources`, the folder of the first source, like their `folder`',
    }),
  ),
  moreSources: Type.Optional(
    Type.Array(
      namedObject('NewCleaningSource', {
        datasetId: IdSchema,
        version: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Default: the current version at the start of each run' }),
        ),
        prefix: Type.Optional(Type.String({ description: 'Folder of it to read' })),
        folder: Type.Optional(
          Type.String({
            maxLength: 255,
            description: 'A single name; default: the name of the dataset, adapted if it is not a valid folder name',
          }),
        ),
      }),
      {
        maxItems: maxMoreSources,
        description:
          'Further datasets to read, each once. The files of each source, including the first, are then in a separate folder, during the run and in ' +
          'the result: `web/a.jsonl`. Patterns of `input` apply to these paths; `input.prefix` applies to the first source. Set weights by folder in the ' +
          'step `mix-selector`',
      },
    ),
  ),
};

export type GivenSources = Static<TObject<typeof newSourceFields>>;
