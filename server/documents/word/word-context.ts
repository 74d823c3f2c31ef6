import type { OfficeContentNode } from 'officeparser';
import type { Relation } from '../package/office-package.ts';
import type { WordStyles } from './word-styles.ts';

/** What the blocks of a part refer to, and what is counted on the way. */
export type WordContext = {
  styles: WordStyles;
  /** Numbers of the last items of each definition of lists, by level. */
  items: Map<string, number[]>;
  /** Levels of lists that have begun. */
  begun: Set<string>;
  /** Relationships of the part that is read, by their ID. */
  relations: ReadonlyMap<string, Relation>;
  footnotes: ReadonlyMap<string, OfficeContentNode>;
  endnotes: ReadonlyMap<string, OfficeContentNode>;
  comments: ReadonlyMap<string, OfficeContentNode>;
  /** Contents of the parts that stand for blocks (`altChunk`), by their name. */
  chunks: ReadonlyMap<string, readonly OfficeContentNode[]>;
  /** Texts of diagrams by the name of their part. */
  diagrams: ReadonlyMap<string, readonly { text: string; depth: number }[]>;
  counts: WordCounts;
};

export type WordCounts = {
  images: number;
  charts: number;
  /** Lengths of hidden text, and of text that tracked changes delete. */
  hidden: number;
  deleted: number;
  /** Symbols without a known character, by their font. */
  symbols: Map<string, number>;
};
