export type DatasetsTable = {
  id: string;
  name: string;
  /** Lower-cased name; lists sort by it. */
  name_key: string;
  description: string;
  /** Lower-cased name and description for keyword search. */
  search_text: string;
  type: string;
  status: string;
  data_source: string | null;
  target_location: string | null;
  /** Permitted use: an SPDX identifier, a URL or free text. */
  license: string | null;
  /** How to cite it. */
  citation: string | null;
  /** Current version of the content: 1 when new, incremented by each commit of files. */
  version: number;
  /** The upload whose next files still join the current version; null once the version is closed and never changes again. */
  open_upload_id: string | null;
  file_count: number;
  completed_count: number;
  total_size_bytes: number;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
  /** Set by a deletion: the dataset is invisible from then on, and its rows are erased in the background. */
  deleted_at: string | null;
};

export type TagsTable = {
  id: string;
  name: string;
  /** Lower-cased name, unique. */
  name_key: string;
  color: string;
  description: string;
  created_at: string;
};

export type DatasetTagsTable = { dataset_id: string; tag_id: string };

/** Files of the current version by type and status. */
export type DatasetCountsTable = {
  dataset_id: string;
  file_type: string;
  status: string;
  file_count: number;
  total_size_bytes: number;
};

export type VersionsTable = {
  dataset_id: string;
  version: number;
  created_at: string;
  created_by: string;
  name: string | null;
  message: string | null;
  /** JSON: code and values of the message; a person's own words have none. */
  message_sentence: string | null;
  /** The upload whose files this version added. */
  upload_id: string | null;
  files_added: number;
  files_ended: number;
  /** Totals of the dataset at this version. */
  file_count: number;
  total_size_bytes: number;
};

/** One row per state of a file: a new name or content ends the row and starts another with the same `file_id`. */
export type FilesTable = {
  row_id: string;
  file_id: string;
  dataset_id: string;
  path: string;
  /** Folder of the path, '' for the root. */
  parent: string;
  /** Lower-cased path for keyword search. */
  search_text: string;
  original_name: string;
  file_type: string;
  content_type: string;
  size_bytes: number;
  status: string;
  error: string | null;
  /** JSON: code and values of the error. */
  error_sentence: string | null;
  blob_id: string | null;
  /** JSON: where the content was collected; null for an upload. */
  origin: string | null;
  /** When, and by whom, the content was uploaded. */
  uploaded_at: string;
  uploaded_by: string;
  updated_at: string;
  added_version: number;
  /** First version without this row; null while current. */
  ended_version: number | null;
};

/** Explicitly created folders; parents of files need no row here. */
export type DirectoriesTable = {
  row_id: string;
  dataset_id: string;
  path: string;
  created_at: string;
  created_by: string;
  added_version: number;
  ended_version: number | null;
};

/** Every folder of the current version, explicit or implied by a file, with the totals below it. */
export type FoldersTable = {
  dataset_id: string;
  path: string;
  parent: string;
  /** Lower-cased last segment of the path for keyword search. */
  name_key: string;
  /** Files at any depth below, and their bytes. */
  file_count: number;
  total_size_bytes: number;
  /** Explicitly created folders at or below this one; a folder exists while it contains one of them or a file. */
  directory_count: number;
};

/**
 * Rank anchors: the current files of a dataset in path order, divided into buckets of a few hundred (level 0), and these into
 * groups of a few dozen (level 1). `start_path` is the inclusive lower bound, '' for the first. The counts of the groups, then
 * of one group's buckets, locate the n-th file without walking the list. In `file_type` and `status`, the value '/', which
 * neither can have, means any: each file counts in four rows of a bucket, so that every filter has its own ranks.
 */
export type FileBucketsTable = {
  dataset_id: string;
  level: number;
  file_type: string;
  status: string;
  start_path: string;
  file_count: number;
};

/** Statistics of a content, or why there are none: derived from its bytes, and deleted with them. */
export type ContentStatisticsTable = {
  blob_id: string;
  /** JSON; null if the content can't be counted. */
  facts: string | null;
  problem: string | null;
  problem_sentence: string | null;
};

/** Content that was erased from all versions of a dataset; outlives the dataset. */
export type PurgesTable = {
  id: string;
  dataset_id: string;
  created_at: string;
  created_by: string;
  /** JSON: what the purge affected. */
  report: string;
};
