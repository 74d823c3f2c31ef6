import type { StoredSketch } from '../profiles/sketch.ts';

/** What some texts are: how many, how long, in which languages. */
export type TextFacts = {
  texts: number;
  empty: number;
  /** Texts that an earlier row of the same file has. */
  repeated: number;
  characters: StoredSketch & { sum: number };
  tokens: StoredSketch & { sum: number };
  /** By code, `und` where it can't be told. */
  languages: Record<string, number>;
};

/** Of `rows` readable ones, and about how many values differ. */
export type ColumnFacts = { name: string; type: string; rows: number; nulls: number; distinct: number };

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
    }
  | { kind: 'IMAGE'; width: number; height: number; format: string }
  /** Nothing but type and size is counted. */
  | { kind: 'OTHER' };
