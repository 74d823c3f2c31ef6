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
      throw new Error(`the file of ${sizeBytes} bytes is over the limit of ${maxDocumentBytes}`);
    }
    const bytes = new Uint8Array(sizeBytes);
    try {
      readFully(read, bytes, 0);
    } catch (error) {
      if (error instanceof StoredBytesDamaged) {
        context.damage?.media.add(index);
        context.damage?.messages.push(error.message);
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
        : { problem: `a file of ${type} can't be a row of the chosen output` },
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

function refusalOf({ texts, written = [] }: Judgement, type: string): string | undefined {
  if (texts.some((text) => text !== '')) return 'a file of media holds no text that could be written';
  for (const parts of written) {
    if (parts?.fields !== undefined || parts?.messages !== undefined)
      return 'a file of media holds no fields or messages';
    const { media } = parts ?? {};
    if (media !== undefined && (media.length !== 1 || !mayBecome(type, media[0]?.type))) {
      return `a file of ${type} takes one of that type, not ${media.map((one) => one.type).join(', ') || 'none'}`;
    }
  }
  return undefined;
}
