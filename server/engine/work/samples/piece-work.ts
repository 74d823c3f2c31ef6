import { fileTypeOf } from '../../../kernel/file-path.ts';
import { inputProblems, runSentences } from '../../../kernel/sentences/index.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import { mediaTypeOf } from '../../orders/media-types.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { formatPathOf, type PieceOutput, type PieceRead, type PlacedPiece, problemIn } from '../../orders/shard.ts';
import { describeDamage, readChecked, StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import type { OpenPiece } from '../notes.ts';
import { processColumn } from './column-work.ts';
import { processDocument, processReadDocument } from './document-work.ts';
import { processMedia } from './media-work.ts';
import { processRows } from './row-work.ts';
import type { ShardContext } from './shard-context.ts';

/**
 * Passes the samples of one piece to the context. A file with damaged bytes is one failed sample; damage in a part of a
 * file throws StoredBytesDamaged, because the file was intact when the run was planned and its other parts depend on
 * this one.
 */
export function processPiece(given: ShardContext, piece: PlacedPiece, index: number, open: OpenPiece): PieceRead {
  const context = piece.only === undefined ? given : rowsOnly(given, piece);
  if (piece.document !== undefined) context.describe(index, { format: fileTypeOf(formatPathOf(piece)) });
  if (piece.document !== undefined) return withoutLines(processReadDocument(context, piece, index, piece.document));
  const media = mediaTypeOf(piece.path);
  if (media !== undefined && !context.parts.has('media')) {
    context.skipFile(index, inputProblems.NOT_MEANT.reason({ type: media }));
    return withoutLines([]);
  }
  const format = formatOf(fileTypeOf(formatPathOf(piece)));
  if (piece.place === null || piece.problem !== undefined) {
    return withoutLines(
      processDocument(context, piece, index, { problem: problemIn(piece) ?? inputProblems.NO_CONTENT.reason({}) }),
    );
  }
  const read = openPiece(piece, piece.place, open);
  if (piece.column !== undefined)
    context.describe(index, { format, fields: fieldsOf(context.job.recipe, piece.path) ?? [piece.column.name] });
  if (piece.column !== undefined) return processColumn(context, piece, index, read);
  if (!isRowFormat(format)) {
    if (media !== undefined) return withoutLines(processMedia(context, piece, index, { type: media, read }));
    return withoutLines(processDocument(context, piece, index, { format, read }));
  }
  let isBegun = false;
  const table: ShardContext = {
    ...context,
    sample(options) {
      isBegun = true;
      context.sample(options);
    },
  };
  try {
    return processRows(table, piece, index, { format, read });
  } catch (error) {
    if (!(error instanceof StoredBytesDamaged) || isBegun || piece.range !== undefined) throw error;
    return withoutLines(processDocument(context, piece, index, { damage: error.reason }));
  }
}

/** If only some rows of a table are samples, the whole table can't be one: it would include the other rows. */
function rowsOnly(context: ShardContext, { path }: PlacedPiece): ShardContext {
  return {
    ...context,
    sample(options) {
      if (options.row !== null || options.isEndOfTable === true) {
        context.sample(options);
        return;
      }
      const found = options.read();
      const why = 'problem' in found ? found.problem : 'it is one text';
      throw new SetupError(runSentences.FORMER_NO_TABLE.reason({ path, why }));
    },
  };
}

function withoutLines(outputs: PieceOutput[]): PieceRead {
  return { lineEnds: 0, passed: 0, outputs };
}

function openPiece(piece: PlacedPiece, place: NonNullable<PlacedPiece['place']>, open: OpenPiece): ReadAt {
  const { check } = piece;
  return check === undefined ? open(place) : readChecked(open(place), check, describeDamage(piece.path, check));
}
