/** An item that a source offered to a collection run, and its verdict. */
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
  reason_sentence: string | null;
  /** Path in the dataset: the requested one until the item has landed. */
  path: string | null;
  /** Number of inputs in the item: the rows of a part of a table, 1 for a file. */
  inputs: number;
  size_bytes: number | null;
  fetched_at: string;
  /** JSON: what the source reported about the item. */
  evidence: string | null;
  /** JSON: validators of the content, for the next run. */
  stamp: string | null;
  /** The set of rows that the item is a part of; `position`: JSON, where the next part begins. */
  set_key: string | null;
  position: string | null;
  /** The content, with one reference, until the dataset has taken it over. */
  staged_blob_id: string | null;
};

/** Checkpoint of a collection run. */
export type CollectionRunsTable = {
  run_id: string;
  /** JSON of the connector: where to continue listing. */
  cursor: string | null;
  next_item_no: number;
  /** Version created by the landed items; null before, or if nothing landed. */
  landed_version: number | null;
  /** JSON of the connector: how much of its budgets it has used, and what it has set aside. */
  spent: string | null;
};

/** What a connector must know about an item to continue its run. */
export type CollectionNotesTable = {
  run_id: string;
  item_no: number;
  /** JSON of the connector. */
  note: string;
};

/** What a task has fetched of an item or a set of rows; committed with the data. */
export type CollectionStatesTable = {
  task_id: string;
  /** Hash of the identity at the source, which may be too long for an index. */
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
  /** Number of files of a set of rows. */
  parts: number;
  fetched_at: string;
};
