import { forgetPicture, shrinkPicture, type Media } from '../../../operators/index.ts';
import type { PictureLimits, PreviewPicture } from '../../orders/preview-jobs.ts';
import type { Judgement } from '../samples/judgement.ts';
import type { FlowingSample } from '../../orders/sample-parts.ts';
import type { SampleProgress } from '../samples/sample-progress.ts';

/** The pictures that pass through the steps of a preview, by sample. */
export type PreviewPictures = {
  /** The number of the sample's picture at this point; undefined if it is not a picture. */
  numberOf(ordinal: number, sample: FlowingSample): number | undefined;
  /** Makes thumbnails of the pictures numbered since the last call; call it before later steps release them. */
  shrink(): Promise<void>;
  /** Records the results of a sample, then releases its media; returns the judgement without the written parts. */
  end(ordinal: number, input: FlowingSample['source'], judgement: Judgement): Promise<Judgement>;
  of(ordinal: number): PreviewPicture[];
  /** The numbers of its results. */
  resultsOf(ordinal: number): readonly (number | undefined)[];
};

type Seen = { readonly pictures: PreviewPicture[]; results: (number | undefined)[] };

export function createPreviewPictures(
  limits: PictureLimits | undefined,
  progress: Pick<SampleProgress, 'batch'>,
): PreviewPictures {
  const samples = new Map<number, Seen>();
  // Weak: numbering a picture must not keep it in memory.
  const numbers = new WeakMap<Media, number>();
  let waiting: { ordinal: number; media: Media; picture: PreviewPicture }[] = [];
  let spent = { bytes: 0, ms: 0 };

  function seenOf(ordinal: number): Seen {
    const seen = samples.get(ordinal) ?? { pictures: [], results: [] };
    samples.set(ordinal, seen);
    return seen;
  }

  function numberOfMedia(ordinal: number, media: Media): number {
    const known = numbers.get(media);
    if (known !== undefined) return known;
    const { pictures } = seenOf(ordinal);
    const picture = { type: media.type, width: null, height: null, frames: null, sizeBytes: null, thumbnail: null };
    numbers.set(media, pictures.length);
    waiting.push({ ordinal, media, picture });
    return pictures.push(picture) - 1;
  }

  async function fill(picture: PreviewPicture, media: Media, { side, bytes, ms }: PictureLimits): Promise<void> {
    const hasRoom = spent.bytes < bytes && spent.ms < ms;
    const started = performance.now();
    const { facts, webp } = await shrinkPicture(media, hasRoom ? side : 0);
    spent = { bytes: spent.bytes + (webp?.length ?? 0), ms: spent.ms + performance.now() - started };
    Object.assign(picture, facts === null ? {} : { width: facts.width, height: facts.height, frames: facts.frames });
    picture.thumbnail = webp === null ? null : `data:image/webp;base64,${Buffer.from(webp).toString('base64')}`;
    if (media.encode === undefined) picture.sizeBytes = sizeOf(media);
  }

  async function shrink(): Promise<void> {
    const all = waiting;
    waiting = [];
    if (limits === undefined) return;
    for (const { ordinal, media, picture } of all) {
      progress.batch(-1, ordinal, ordinal);
      await fill(picture, media, limits);
    }
  }

  return {
    numberOf(ordinal, { source, written }) {
      if (limits === undefined) return undefined;
      const [media] = written?.media ?? source?.media?.() ?? [];
      return media?.type.startsWith('image/') === true ? numberOfMedia(ordinal, media) : undefined;
    },
    shrink,
    async end(ordinal, source, { written, ...judgement }) {
      const { pictures, results } = seenOf(ordinal);
      for (const index of pictures.length === 0 ? [] : judgement.texts.keys()) {
        const [media] = written?.[index]?.media ?? [];
        const last = pictures.at(-1);
        if (media === undefined) {
          results.push(0);
        } else if (judgement.texts.length === 1 && last?.type === media.type && last.sizeBytes === null) {
          // The last step's picture, encoded: shows what is written, without what the format can't represent.
          waiting.push({ ordinal, media, picture: last });
          results.push(pictures.length - 1);
        } else results.push(numberOfMedia(ordinal, media));
      }
      await shrink();
      for (const media of source?.media?.() ?? []) {
        forgetPicture(media);
        media.release?.();
      }
      return judgement;
    },
    of: (ordinal) => samples.get(ordinal)?.pictures ?? [],
    resultsOf: (ordinal) => samples.get(ordinal)?.results ?? [],
  };
}

/** Bytes that can't be read any more have no size. */
function sizeOf(media: Media): number | null {
  try {
    return media.bytes.length;
  } catch {
    return null;
  }
}
