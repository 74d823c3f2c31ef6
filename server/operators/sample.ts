/** The parts of a sample. An operator declares which it reads and writes; a run prepares no others. */
export const sampleParts = ['text', 'fields', 'columns', 'messages', 'media', 'scores'] as const;
export type SamplePart = (typeof sampleParts)[number];

/** One turn of a conversation, whatever the member names in the source (`role` and `content`, `from` and `value`). */
export type Message = { readonly role: string; readonly content: string };

/**
 * An image or recording: its media type (`image/png`) and its bytes, which are read on demand. A picture that passes
 * several steps is encoded once: until then it has `encode`, and no bytes.
 */
export type Media = {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly encode?: () => Promise<Uint8Array>;
  /** Releases bytes that can be read again. */
  readonly release?: () => void;
};

/** What passes through a chain of operators: one row of a table, one whole document, one image. */
export type Sample = {
  /** The row's text, or the whole document; empty for media. */
  readonly text: string;
  /**
   * The row's other columns by name, as JSON values; empty for a document. In an outcome: only the columns to set;
   * others stay.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * All columns of the row by name, including the text column, as JSON values; empty for a document. In an outcome:
   * only the columns to set; `undefined` removes a column. A new column with the value of a removed one is that column
   * renamed: it keeps its place and its bytes.
   */
  readonly columns: Readonly<Record<string, unknown>>;
  /** The row's conversation: its column `messages` or `conversations`. */
  readonly messages: readonly Message[];
  readonly media: readonly Media[];
  /** Named figures that earlier steps assigned. In an outcome: only the ones to set. */
  readonly scores: Readonly<Record<string, number>>;
};

/** A sample with the parts that an operator reads. */
export type SampleOf<P extends SamplePart> = Pick<Sample, P>;

/** A sample as passed to an operator: only with the parts that it reads. */
export type GivenSample = Partial<Sample>;

/** A sample after an operator: the parts that it wrote; missing parts are unchanged. */
export type SampleChanges = Partial<Sample>;
