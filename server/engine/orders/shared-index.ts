/** The keys of all references of a step, in memory that all threads share. */
export type SharedIndex = {
  /** Slots of three words: low and high word of the key, number of the sample + 1 (0: free). */
  slots: SharedArrayBuffer;
  /** Three words per sample: index of its path, row, line. */
  places: SharedArrayBuffer;
  /** JSON: the dataset and path of each file. */
  paths: SharedArrayBuffer;
};
