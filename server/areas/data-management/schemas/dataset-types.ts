import { Type, type Static } from 'typebox';
import { namedObject, oneOf } from '../../../http/schemas.ts';

export const datasetTypeCodes = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MULTIMODAL'] as const;
export type DatasetTypeCode = (typeof datasetTypeCodes)[number];

export const DatasetTypeCodeSchema = oneOf('DatasetTypeCode', datasetTypeCodes, {
  description: 'Code of a dataset type',
});

export const DatasetTypeSchema = namedObject('DatasetType', {
  code: DatasetTypeCodeSchema,
  name: Type.String({ description: 'Display name' }),
  description: Type.String(),
  supportedFormats: Type.Array(Type.String(), {
    description: 'Intended file extensions, without a dot; files of any kind can be stored',
  }),
  icon: Type.String({ description: 'Name in the icon set of the web application' }),
});
export type DatasetType = Static<typeof DatasetTypeSchema>;

export const DatasetTypesSchema = Type.Array(DatasetTypeSchema);
