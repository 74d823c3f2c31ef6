import type { RtfCell, RtfStyle } from './rtf-blocks.ts';
import type { RtfFlow } from './rtf-flow.ts';
import type { RtfState } from './rtf-state.ts';

const plainCell: RtfCell = { continuesAcross: false, continuesDown: false };

/** Follows a control word that ends a line, a paragraph, a cell or a row, or defines one. Modifies `cell`. */
export function takeBlockWord(
  name: string,
  flow: RtfFlow,
  { paragraph }: RtfState,
  { style, cell }: { style: RtfStyle | undefined; cell: RtfCell },
): void {
  const level = paragraph.tableLevel;
  const end = (tableLevel: number): void => {
    flow.endParagraph({ ...paragraph, tableLevel }, style);
  };
  switch (name) {
    case 'par':
      if (paragraph.isDropCap) flow.endDropCap(paragraph, style);
      else end(level);
      return;
    case 'sect':
    case 'page':
    case 'column':
      end(level);
      return;
    case 'line':
      flow.addBreak();
      return;
    case 'cell':
      end(1);
      flow.blocks.endCell(1);
      return;
    case 'nestcell':
      end(Math.max(2, level));
      flow.blocks.endCell(Math.max(2, level));
      return;
    case 'row':
      flow.blocks.endRow(1);
      return;
    case 'nestrow':
      flow.blocks.endRow(Math.max(2, level));
      return;
    case 'trowd':
      flow.blocks.startRowDefinition(Math.max(1, level));
      Object.assign(cell, plainCell);
      return;
    case 'clmrg':
      cell.continuesAcross = true;
      return;
    case 'clvmrg':
      cell.continuesDown = true;
      return;
    case 'cellx':
      flow.blocks.defineCell(Math.max(1, level), { ...cell });
      Object.assign(cell, plainCell);
      return;
    default:
  }
}
