/** The parts of a sample. An operator says which it reads and which it writes, and a run pays for no others. */
export const sampleParts = ['text', 'fields', 'messages', 'media', 'scores'] as const;
export type SamplePart = (typeof sampleParts)[number];

/** One turn of a conversation, whatever the source calls its members (`role` and `content`, `from` and `value`). */
export type Message = { readonly role: string; readonly content: string };

/** A picture, a recording: its media type (`image/png`) and its bytes, which are read when they are asked for. */
export type Media = { readonly type: string; readonly bytes: Uint8Array };

/** What flows through a chain of operators: one row of a table, one whole document, one picture. */
export type Sample = {
  /** The row's text, or all of a document; empty for media. */
  readonly text: string;
  /** The row's other columns by name, as JSON has them; without any for a document. In an outcome: those that are set, the others stay. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The row's conversation: its column `messages` or `conversations`. */
  readonly messages: readonly Message[];
  readonly media: readonly Media[];
  /** Figures by name that steps before gave the sample. In an outcome: those that are set. */
  readonly scores: Readonly<Record<string, number>>;
};

/** A sample with the parts that an operator reads. */
export type SampleOf<P extends SamplePart> = Pick<Sample, P>;

/** A sample as it is handed over: with the parts that the operator reads, whichever they are. */
export type GivenSample = Partial<Sample>;

/** A sample after an operator: the parts that it wrote; what is missing stays as it was. */
export type SampleChanges = Partial<Sample>;
