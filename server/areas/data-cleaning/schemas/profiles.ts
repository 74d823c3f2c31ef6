import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, pageOf, pageQuery } from '../../../http/schemas.ts';
import { RunSchema } from '../../../tasks/schemas.ts';
import { DrawnSamplesSchema, SeedSchema } from './previews.ts';
import { newSourceFields } from './sources.ts';
import { InputSchema, NewInputSchema } from './inputs.ts';

export const ProfileBody = namedObject('CleaningProfileRequest', {
  ...newSourceFields,
  input: Type.Optional(NewInputSchema),
  sample: Type.Optional(
    namedObject(
      'ProfileSampling',
      {
        size: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Number of samples' }),
        seed: SeedSchema,
      },
      { description: 'Samples drawn at random, as in a preview; without it, a run reads all samples' },
    ),
  ),
});

export type ProfileRequest = Static<typeof ProfileBody>;

const ShareSchema = namedObject('ProfileShare', {
  value: Type.String(),
  share: Type.Number({ description: '0 to 1' }),
});

export const ProfileSchema = namedObject('CleaningProfile', {
  sourceVersion: Type.Integer({ description: 'Source version that was read' }),
  sampled: Type.Integer({ description: 'Samples that were read, failed ones included' }),
  total: Type.Integer({ description: 'Samples of the input; an estimate if `drawn.isExact` is false' }),
  failed: Type.Integer({ description: 'Samples that could not be read, or that an operator failed on' }),
  skipped: Type.Integer({ description: 'Files and rows that are not part of the input' }),
  texts: Type.Integer({ description: 'Texts that were measured; a row may have several' }),
  drawn: nullable(DrawnSamplesSchema),
  scores: Type.Array(
    namedObject('ProfileScore', {
      operatorId: Type.String({ description: 'Operator that computes this score' }),
      score: Type.String({ description: 'Its name' }),
      description: Type.String(),
      scale: oneOf('MeasureScale', ['COUNT', 'SHARE', 'VALUE'], {
        description: 'COUNT: whole numbers from 0; SHARE: 0 to 1; VALUE: any numbers',
      }),
      count: Type.Integer({ description: 'Texts that have it' }),
      histogram: Type.Array(
        namedObject('HistogramBin', {
          from: Type.Number({ description: 'Lowest value' }),
          to: Type.Number({ description: 'Values are below this' }),
          count: Type.Integer(),
        }),
        { description: 'Contiguous bins that cover all values' },
      ),
      quantiles: nullable(
        namedObject(
          'Quantiles',
          {
            p0: Type.Number(),
            p5: Type.Number(),
            p25: Type.Number(),
            p50: Type.Number(),
            p75: Type.Number(),
            p95: Type.Number(),
            p100: Type.Number(),
          },
          { description: 'p0 and p100 are exact, the others within 1 % (COUNT) or 0.001 (SHARE)' },
        ),
      ),
    }),
    { description: 'Every score that an installed operator computes for a text, before any step' },
  ),
  languages: Type.Array(ShareSchema, { description: 'Languages of texts, most frequent first' }),
  encodings: Type.Array(ShareSchema, {
    description: 'Samples in text files and tables by the encoding of their file',
  }),
  duplicates: namedObject(
    'ProfileDuplicates',
    {
      exact: Type.Integer({ description: 'Samples with the same text as an earlier one' }),
      near: Type.Integer({
        description: 'Samples similar to an earlier one, exact duplicates included',
      }),
    },
    { description: 'Among the samples that were read; a part of the data contains fewer pairs than all of it' },
  ),
});

export type CleaningProfile = Static<typeof ProfileSchema>;

const profileRun = {
  run: RunSchema,
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Integer(),
  input: InputSchema,
};

/** A run that profiles all samples of a dataset; the profile is missing until the run is completed. */
export const ProfileRunSchema = namedObject('CleaningProfileRun', {
  ...profileRun,
  profile: Type.Optional(ProfileSchema),
});

export type ProfileRun = Static<typeof ProfileRunSchema>;

export const ListedProfileSchema = namedObject('ListedCleaningProfile', profileRun);

export type ListedProfile = Static<typeof ListedProfileSchema>;

export const ProfilePageSchema = pageOf(ListedProfileSchema);

export const ProfileParams = Type.Object({ runId: IdSchema });

export const ProfilesQuery = Type.Object({ ...pageQuery, sourceDatasetId: IdSchema });

export type ProfilesQuery = Static<typeof ProfilesQuery>;
