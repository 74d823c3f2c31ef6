export type DatasetsTable = {
  id: string;
  name: string;
  /** Lower-cased name, by which lists are sorted. */
  name_key: string;
  description: string;
  /** Lower-cased name and description, where keyword search looks. */
  search_text: string;
  type: string;
  status: string;
  data_source: string | null;
  target_location: string | null;
  /** Current version of its content: 1 when new, one more for each commit of files. */
  version: number;
  /** The upload whose next files still come into the current version; null once it is closed and never changes again. */
  open_upload_id: string | null;
  file_count: number;
  completed_count: number;
  total_size_bytes: number;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
  /** Set by a delete: invisible from then on, its rows go in the background. */
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
  /** The upload whose files came in this version. */
  upload_id: string | null;
  files_added: number;
  files_ended: number;
  /** Of the dataset at this version. */
  file_count: number;
  total_size_bytes: number;
};

/** One row for each state that a file has had: a new name or content ends the row and starts another of the same `file_id`. */
export type FilesTable = {
  row_id: string;
  file_id: string;
  dataset_id: string;
  path: string;
  /** Folder of the path, '' for the root. */
  parent: string;
  /** Lower-cased path, where keyword search looks. */
  search_text: string;
  original_name: string;
  file_type: string;
  content_type: string;
  size_bytes: number;
  status: string;
  error: string | null;
  blob_id: string | null;
  /** When the content came in, and by whom. */
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

/** Every folder of the current version that exists, explicitly or as a parent, with all that is below it. */
export type FoldersTable = {
  dataset_id: string;
  path: string;
  parent: string;
  /** Lower-cased last segment of the path, where keyword search looks. */
  name_key: string;
  /** Files at any depth below, and their bytes. */
  file_count: number;
  total_size_bytes: number;
  /** Explicitly created folders at or below this one; a folder exists while it has one of them or a file. */
  directory_count: number;
};

/**
 * Rank anchors: the current files of a dataset in path order, cut into buckets of some hundreds (level 0), and these into
 * groups of some dozens (level 1). `start_path` is the inclusive lower bound, '' for the first. The counts of the groups,
 * then of one group's buckets, lead to the n-th file without walking the list. `file_type` and `status` are '/', which
 * neither can be, for any: each file counts in four rows of a bucket, so that every filter has its own ranks.
 */
export type FileBucketsTable = {
  dataset_id: string;
  level: number;
  file_type: string;
  status: string;
  start_path: string;
  file_count: number;
};
