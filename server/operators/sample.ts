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
  /** Forgets bytes that can be read again. */
  readonly release?: () => void;
};

/** What passes through a chain of operators: one row of a table, one whole document, one image. */
export type Sample = {
  /** The row's text, or the whole document; empty for media. */
  readonly text: string;
  /**
   * The row's other columns by name, as JSON values; empty for a document. In an outcome: only those that are set, the
   * others stay.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * All columns of the row by name, the one that holds the text among them, as JSON values; empty for a document. In an
   * outcome: only those that are set; `undefined` takes a column out. A column that is set to the value of one that is
   * taken out is that column under another name: it keeps its place and its bytes.
   */
  readonly columns: Readonly<Record<string, unknown>>;
  /** The row's conversation: its column `messages` or `conversations`. */
  readonly messages: readonly Message[];
  readonly media: readonly Media[];
  /** Named figures that earlier steps gave the sample. In an outcome: only those that are set. */
  readonly scores: Readonly<Record<string, number>>;
};

/** A sample with the parts that an operator reads. */
export type SampleOf<P extends SamplePart> = Pick<Sample, P>;

/** A sample as passed to an operator: only with the parts that it reads. */
export type GivenSample = Partial<Sample>;

/** A sample after an operator: the parts that it wrote; missing parts are unchanged. */
export type SampleChanges = Partial<Sample>;
