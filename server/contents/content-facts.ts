import type { StoredSketch } from '../engine/orders/sketch.ts';

/** What some texts are: how many, how long, in which languages. */
export type TextFacts = {
  texts: number;
  empty: number;
  /** Texts that stand earlier in the same file. */
  repeated: number;
  characters: StoredSketch & { sum: number };
  tokens: StoredSketch & { sum: number };
  /** By code, `und` where it can't be told. */
  languages: Record<string, number>;
};

/** Of `rows` readable ones, and how many values differ; `isText`: the texts that are counted of the table are in it. */
export type ColumnFacts = {
  name: string;
  type: string;
  rows: number;
  nulls: number;
  distinct: number;
  isText?: true;
};

/** A column, or a path into rows, whose texts are counted; `isDetected`: a run takes it if its task names none. */
export type TextFieldFacts = { field: string; isDetected: boolean };

/** What is counted of the content of a file, once for each content. */
export type ContentFacts =
  | { kind: 'TEXT' | 'DOCUMENT'; texts: TextFacts }
  | {
      kind: 'TABLE';
      /** Rows, or those of all sheets of a workbook. */
      rows: number;
      unreadable: number;
      columns: ColumnFacts[];
      texts: TextFacts | null;
      /** Of each table with texts: of a workbook, each of its sheets. Missing in what an earlier release counted, by another rule. */
      fields?: TextFieldFacts[];
    }
  | { kind: 'IMAGE'; width: number; height: number; format: string }
  /** Nothing but type and size is counted. */
  | { kind: 'OTHER' };
