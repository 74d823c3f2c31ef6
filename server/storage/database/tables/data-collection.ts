/** An item that a run of collection was offered, and its verdict. */
export type CollectionItemsTable = {
  run_id: string;
  /** From 0, in the order of the source. */
  item_no: number;
  /** URL, path, object key, or rows of a table. */
  name: string;
  /** Lower-cased name and path for search. */
  search_text: string;
  /** Hash of the identity at the source; null for items that were never fetched. */
  item_key: string | null;
  verdict: 'KEPT' | 'DROPPED' | 'FAILED';
  reason: string | null;
  /** Path in the dataset: the one wished for until it has landed. */
  path: string | null;
  /** Inputs that the item stands for: the rows of a part of a table, 1 for a file. */
  inputs: number;
  size_bytes: number | null;
  fetched_at: string;
  /** JSON: what the source said of it. */
  evidence: string | null;
  /** JSON: validators of the content, for the next run. */
  stamp: string | null;
  /** A set of rows that the item is a part of, and JSON: where the next part begins. */
  set_key: string | null;
  position: string | null;
  /** The content, with one reference, until the dataset has it. */
  staged_blob_id: string | null;
};

/** Checkpoint of a run of collection. */
export type CollectionRunsTable = {
  run_id: string;
  /** JSON of the connector: where to continue to list. */
  cursor: string | null;
  next_item_no: number;
  /** Version that the landed items made; null before, or if nothing landed. */
  landed_version: number | null;
  /** JSON of the connector: what it has used of its budgets, and what it has set aside. */
  spent: string | null;
};

/** What a connector needs to know of an item to continue its run. */
export type CollectionNotesTable = {
  run_id: string;
  item_no: number;
  /** JSON of the connector. */
  note: string;
};

/** What a task has fetched of an item or of a set of rows; committed with the data. */
export type CollectionStatesTable = {
  task_id: string;
  /** Hash of the identity at the source: that may be longer than an index takes. */
  item_key: string;
  name: string;
  /** Path in the dataset, and its hash. */
  path: string;
  path_key: string;
  /** JSON: validators of the content. */
  stamp: string | null;
  blob_id: string | null;
  size_bytes: number;
  /** JSON: the last row that was read, for a set of rows. */
  position: string | null;
  /** Files of a set of rows. */
  parts: number;
  fetched_at: string;
};
