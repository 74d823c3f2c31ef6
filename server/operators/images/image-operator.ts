import type { Static, TObject } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { pictureProblems, type Reason } from '../../kernel/sentences/index.ts';
import {
  defineBatchOperator,
  drop,
  keep,
  type BatchOperator,
  type ChineseTexts,
  type Example,
  type Media,
  type Outcome,
  type ParamProblem,
  type Threshold,
} from '../operator.ts';
import { refuseFrames } from './frames.ts';
import {
  editPicture,
  hasRightName,
  mediaOf,
  openPicture,
  pictureTypes,
  type PictureEdit,
  type PictureFacts,
} from './pictures.ts';

type Declared<S extends TObject> = {
  id: string;
  version: string;
  name: string;
  description: string;
  categories?: readonly string[];
  params: S;
  examples: readonly Example[];
  chinese: ChineseTexts<keyof Static<S> & string>;
  check?: (params: Static<S>) => ParamProblem | undefined;
};

/** Few, as the pixels of a whole batch may be in memory at once. */
const samplesPerBatch = 4;

/**
 * Declares a step that changes pictures. `edit` returns undefined for no change, `RENAME` if only the name is wrong, or
 * the new bytes of a file that no earlier step has changed.
 */
export function defineImageMapper<const S extends TObject>({
  edit,
  fixesNames = false,
  categories = [],
  ...declared
}: Declared<S> & {
  edit: (
    params: Static<S>,
  ) => (
    facts: PictureFacts,
    isNamed: boolean,
    file: Uint8Array | undefined,
  ) => PictureEdit | Uint8Array | 'RENAME' | undefined;
  /** Whether it accepts a picture whose name indicates another format. */
  fixesNames?: boolean;
}): BatchOperator {
  return defineBatchOperator<S, 'media'>({
    ...declared,
    modality: 'IMAGE',
    kind: 'MAPPER',
    categories: ['images', ...categories],
    reads: ['media'],
    writes: ['media'],
    sharesPictures: true,
    samplesPerBatch,
    batch(params) {
      const editOf = edit(params);
      return perSample(async (media) => {
        const picture = await openPicture(media);
        const isNamed = hasRightName(media, picture.facts);
        if (!isNamed && !fixesNames) {
          throw new ReasonedError(
            pictureProblems.PICTURE_NAME.reason({ format: picture.facts.format.toUpperCase(), type: media.type }),
          );
        }
        const made = editOf(picture.facts, isNamed, media.encode === undefined ? media.bytes : undefined);
        if (made === undefined) return undefined;
        if (made === 'RENAME') return { media: [{ type: pictureTypes[picture.facts.format], bytes: media.bytes }] };
        if (made instanceof Uint8Array) return { media: [{ type: media.type, bytes: made }] };
        // Only the first frame of an animated PNG can be read.
        if (picture.facts.format === 'png') refuseFrames(picture.facts);
        return { media: [mediaOf(await editPicture(picture, made))] };
      });
    },
  });
}

/** Declares a step that keeps or drops pictures by a score; later steps still get their bytes. */
export function defineImageFilter<const S extends TObject>({
  judge,
  categories = [],
  ...declared
}: Declared<S> & {
  thresholds?: readonly Threshold[];
  judge: (params: Static<S>) => (media: Media) => Promise<{ score?: number; reason?: Reason | undefined }>;
}): BatchOperator {
  return defineBatchOperator<S, 'media'>({
    ...declared,
    modality: 'IMAGE',
    kind: 'FILTER',
    categories: ['images', ...categories],
    reads: ['media'],
    writes: [],
    sharesPictures: true,
    samplesPerBatch,
    batch(params) {
      const judgeOne = judge(params);
      return perSample(async (media, sample) => {
        const { score, reason } = await judgeOne(media);
        if (reason !== undefined) return drop(reason, score);
        return score === undefined ? undefined : keep(sample, score);
      });
    },
  });
}

type MediaSample = { readonly media: readonly Media[] };

/** One sample at a time: a worker has one core, and memory for one large picture. */
function perSample(work: (media: Media, sample: MediaSample) => Promise<Outcome | undefined>): {
  run(samples: readonly MediaSample[]): Promise<Outcome[]>;
} {
  return {
    async run(samples) {
      const outcomes: Outcome[] = [];
      for (const sample of samples) {
        const [media, ...more] = sample.media;
        if (media === undefined || more.length > 0) throw new ReasonedError(pictureProblems.NO_ONE_PICTURE.reason({}));
        outcomes.push((await work(media, sample)) ?? sample);
      }
      return outcomes;
    },
  };
}
