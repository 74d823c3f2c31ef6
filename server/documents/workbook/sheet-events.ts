import type { OfficePackage } from '../package/office-package.ts';
import { columnOf } from './cell-places.ts';
import { createRichTextCollector, withControls, type RichText } from './rich-text.ts';

/** A cell as it is stored; its column counts from 0. */
export type StoredCell = {
  column: number;
  /** `n` for a number, `s` for the number of a shared text, `inlineStr`, `str`, `b`, `e` or `d`. */
  type: string;
  style: number;
  value: string;
  /** The text of an `inlineStr`. */
  text: RichText;
  isFormula: boolean;
  hasValue: boolean;
};

export type SheetEvents = {
  /** A row begins; `written` is its number as the file has it, if it has one. */
  row(written: string | undefined): void;
  cell(cell: StoredCell): void;
  rowEnd(): void;
  /** Any other element outside of rows, such as `mergeCell` or `oddHeader`. */
  other?(name: string): void;
};

/** Reads the cells of a sheet in order (ECMA-376 part 1, 18.3). Returns whether the part is complete. */
export async function readSheet(
  found: OfficePackage,
  part: string,
  events: SheetEvents,
): Promise<{ isComplete: boolean }> {
  const inline = createRichTextCollector();
  let column = -1;
  let cell: StoredCell | undefined;
  let isValue = false;
  let isInline = false;
  return found.parse(part, 'x', {
    open(name, attributes) {
      if (isInline) inline.open(name, attributes['val']);
      else if (name === 'row') {
        column = -1;
        events.row(attributes['r']);
      } else if (name === 'c') {
        const { r = '', t = 'n', s } = attributes;
        column = columnOf(r) ?? column + 1;
        const style = Number(s ?? 0);
        cell = { column, type: t, style, value: '', text: '', isFormula: false, hasValue: false };
      } else if (cell === undefined) events.other?.(name);
      else if (name === 'f') cell.isFormula = true;
      else if (name === 'v') {
        isValue = true;
        cell.hasValue = true;
      } else if (name === 'is') {
        isInline = true;
        cell.hasValue = true;
      }
    },
    text(text) {
      if (isInline) inline.text(text);
      else if (isValue && cell !== undefined) cell.value += text;
    },
    close(name) {
      if (name === 'is' && isInline) {
        isInline = false;
        if (cell !== undefined) cell.text = inline.take();
      } else if (isInline) inline.close(name);
      else if (name === 'v') isValue = false;
      else if (name === 'c' && cell !== undefined) {
        if (cell.type === 'str') cell.value = withControls(cell.value);
        events.cell(cell);
        cell = undefined;
      } else if (name === 'row') events.rowEnd();
    },
  });
}
