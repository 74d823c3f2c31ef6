import type { StoredSketch } from '../engine/orders/sketch.ts';

/** Statistics of texts: how many, how long, in which languages. */
export type TextFacts = {
  texts: number;
  empty: number;
  /** Texts that repeat an earlier text of the same file. */
  repeated: number;
  characters: StoredSketch & { sum: number };
  tokens: StoredSketch & { sum: number };
  /** By language code; `und` if it can't be detected. */
  languages: Record<string, number>;
};

/**
 * A column of a table with `rows` readable rows; `distinct`: number of different values; `isText`: the table's counted
 * texts are in this column.
 */
export type ColumnFacts = {
  name: string;
  type: string;
  rows: number;
  nulls: number;
  distinct: number;
  isText?: true;
};

/** A column, or a path into rows, whose texts are counted; `isDetected`: a run uses it if its task names no field. */
export type TextFieldFacts = { field: string; isDetected: boolean };

/** What is counted for a file's content, once per content. */
export type ContentFacts =
  | { kind: 'TEXT' | 'DOCUMENT'; texts: TextFacts }
  | {
      kind: 'TABLE';
      /** Rows of the table, or of all sheets of a workbook. */
      rows: number;
      unreadable: number;
      columns: ColumnFacts[];
      texts: TextFacts | null;
      /**
       * Text fields of the table, or of each sheet of a workbook. Missing in counts of an earlier release, which used
       * another rule.
       */
      fields?: TextFieldFacts[];
    }
  | { kind: 'IMAGE'; width: number; height: number; format: string }
  /** Only type and size are recorded. */
  | { kind: 'OTHER' };
