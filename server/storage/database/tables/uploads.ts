/** An announced upload: from the pre-upload call until it is abandoned or expires. */
export type UploadsTable = {
  id: string;
  dataset_id: string;
  created_by: string;
  /** 1 if its archives are to be unpacked. */
  has_archive: number;
  total_file_num: number;
  total_size_bytes: number;
  prefix: string;
  /** Size of every chunk of a file but the last, if announced. */
  chunk_size_bytes: number | null;
  on_conflict: 'REPLACE' | 'RENAME' | 'ERROR';
  /** Destination of archive entries: beside the archive, or in a folder with its name. */
  unpack_into: 'PREFIX' | 'FOLDER';
  /** Encoding of the names in archives that are not declared as Unicode, if the caller set it. */
  name_encoding: string | null;
  /** Languages of the uploading user as tags separated by commas: a hint for guessing that encoding. */
  name_languages: string | null;
  /** Approximate number of chunk calls so far: written with other changes. */
  calls: number;
  created_at: string;
  /** Last activity, to the minute. */
  active_at: string;
  /** Number and bytes of its complete files; maintained if several processes add to one upload. */
  completed_files: number;
  completed_bytes: number;
  /** Set when it is abandoned or expires: it is invisible from then on, and its rows are erased in the background. */
  ended_at: string | null;
};

/** A file of an upload, from its first chunk on (single-chunk files: once complete). */
export type UploadFilesTable = {
  upload_id: string;
  file_no: number;
  /** As the client sent it. */
  file_name: string;
  path: string;
  total_chunks: number;
  /** The assembly of its chunks; null for a file of a single chunk. */
  assembly_id: string | null;
  state: 'RECEIVING' | 'COMPLETED';
  /** The resulting file; null while chunks are arriving. */
  file_id: string | null;
  blob_id: string | null;
  size_bytes: number;
  crc32: number;
};

/** An archive that is listed as PROCESSING until it is unpacked; the row stays as the receipt until its upload is erased. */
export type ArchivesTable = {
  id: string;
  upload_id: string;
  file_no: number;
  dataset_id: string;
  file_id: string;
  path: string;
  blob_id: string;
  created_by: string;
  on_conflict: 'REPLACE' | 'RENAME' | 'ERROR';
  unpack_into: 'PREFIX' | 'FOLDER';
  /** Encoding of the names in archives that are not declared as Unicode, if the caller set it. */
  name_encoding: string | null;
  /** Languages of the uploading user as tags separated by commas: a hint for guessing that encoding. */
  name_languages: string | null;
  /** 1 if it must be an archive, 0 if it may turn out to be a plain file. */
  announced: number;
  state: 'PENDING' | 'UNPACKED' | 'FAILED' | 'NOT_AN_ARCHIVE';
  /** Entries added, and their bytes. */
  file_count: number;
  total_size_bytes: number;
  refused_count: number;
  /** The first refused entries: JSON array of `{path, reason, sentence}`. */
  refusals: string;
  /** Replaced, overwritten and renamed entries, folders and warnings: JSON of the receipt's fields, `{}` until unpacked. */
  effects: string;
  error: string | null;
  /** JSON: code and values of the error. */
  error_sentence: string | null;
  /** How many processes have begun to unpack it and neither finished nor released it. */
  unpackings: number;
  /** The node that unpacks it, if several share a database. */
  node_id: string | null;
  created_at: string;
  ended_at: string | null;
};

/** Bytes that a running job has received but that no file refers to yet; each row holds one reference to its blob. */
export type StagedEntriesTable = {
  job_id: string;
  ordinal: number;
  path: string;
  original_name: string;
  size_bytes: number;
  blob_id: string;
};
