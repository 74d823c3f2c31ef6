import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { Media } from '../../../operators/index.ts';
import { readFully, type ReadAt } from '../../../tables/lines.ts';
import type { PieceOutput, PlacedPiece } from '../../orders/shard.ts';
import type { Judgement } from './chain.ts';
import { documentFilter, partPath, refuseNames } from './document-work.ts';
import type { ShardContext } from './shard-context.ts';
import { StoredBytesDamaged } from '../../orders/stored-bytes.ts';

/** Processes an image, audio or video file as one sample without text; its bytes are read on first use. */
export function processMedia(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  { type, read }: { type: string; read: ReadAt },
): PieceOutput[] {
  const outputs: PieceOutput[] = [];
  const { path, sizeBytes } = piece;
  const { maxDocumentBytes } = context.job.limits;
  let known: Uint8Array | undefined;

  function readBytes(): Uint8Array {
    if (sizeBytes > maxDocumentBytes) {
      throw new ReasonedError(inputProblems.FILE_TOO_LONG.reason({ bytes: sizeBytes, limit: maxDocumentBytes }));
    }
    const bytes = new Uint8Array(sizeBytes);
    try {
      readFully(read, bytes, 0);
    } catch (error) {
      if (error instanceof StoredBytesDamaged) {
        context.damage?.media.add(index);
        context.damage?.messages.push(error.reason);
      }
      throw error;
    }
    return bytes;
  }

  const media: Media = {
    type,
    get bytes() {
      return (known ??= readBytes());
    },
    release() {
      known = undefined;
    },
  };
  context.sample({
    piece: index,
    row: null,
    ...documentFilter(context),
    read: () =>
      context.job.recipe.output === undefined
        ? { text: '', source: { media: () => [media] } }
        : { problem: inputProblems.NO_ROW_OF_OUTPUT.reason({ type }) },
    refuse: (judgement) => refusalOf(judgement, type) ?? refuseNames(path, judgement.texts),
    write: ({ verdict, texts, written }) => {
      if (context.rowOutput !== undefined) return 0;
      const isDamaged = context.damage?.media.has(index) === true;
      const passes = verdict === 'FAILED' && context.job.recipe.onError === 'KEEP' && !isDamaged;
      if (passes || verdict === 'KEPT') {
        outputs.push({ path, from: 'source', start: 0, end: sizeBytes });
        return 1;
      }
      for (const number of texts.keys()) {
        const start = context.bytes.length;
        for (const { bytes } of written?.[number]?.media ?? [media]) context.bytes.append(bytes);
        const named = pathOfType(path, type, written?.[number]?.media?.[0]?.type ?? type);
        const name = texts.length === 1 ? named : partPath(named, number + 1);
        outputs.push({ path: name, from: 'result', start, end: context.bytes.length });
      }
      return texts.length;
    },
  });
  return outputs;
}

/** The extensions of pictures by their types. */
const pictureExtensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'image/avif': 'avif',
};

/** A picture may change its format, and with it its extension; other media keep their type. */
function mayBecome(type: string, made: string | undefined): boolean {
  if (made === type) return true;
  return made !== undefined && type.startsWith('image/') && Object.hasOwn(pictureExtensions, made);
}

/** `a/b.png` as WebP: `a/b.webp`. */
function pathOfType(path: string, type: string, made: string): string {
  const extension = pictureExtensions[made];
  if (made === type || extension === undefined) return path;
  return `${path.slice(0, path.lastIndexOf('.'))}.${extension}`;
}

function refusalOf({ texts, written = [] }: Judgement, type: string): Reason | undefined {
  if (texts.some((text) => text !== '')) return inputProblems.MEDIA_NO_TEXT.reason({});
  for (const parts of written) {
    if (parts?.fields !== undefined || parts?.messages !== undefined) return inputProblems.MEDIA_NO_FIELDS.reason({});
    const { media } = parts ?? {};
    if (media !== undefined && (media.length !== 1 || !mayBecome(type, media[0]?.type))) {
      const types = media.map((one) => one.type).join(', ') || 'none';
      return inputProblems.MEDIA_OTHER_TYPE.reason({ type, types });
    }
  }
  return undefined;
}
