/** An announced upload: from its pre-upload until it is abandoned or has been idle for too long. */
export type UploadsTable = {
  id: string;
  dataset_id: string;
  created_by: string;
  /** 1 when its archives are to be unpacked. */
  has_archive: number;
  total_file_num: number;
  total_size_bytes: number;
  prefix: string;
  /** Size of every chunk but the last of a file, when it was announced. */
  chunk_size_bytes: number | null;
  on_conflict: 'REPLACE' | 'RENAME' | 'ERROR';
  /** Where the entries of its archives go: beside the archive, or into a folder of its name. */
  unpack_into: 'PREFIX' | 'FOLDER';
  /** Chunk calls so far, about: written with other changes. */
  calls: number;
  created_at: string;
  /** Last sign of life, to the minute. */
  active_at: string;
  /** Set when it was abandoned or expired: invisible from then on, its rows go in the background. */
  ended_at: string | null;
};

/** A file of an upload, from its first chunk on (single-chunk files: once they are complete). */
export type UploadFilesTable = {
  upload_id: string;
  file_no: number;
  /** As the client sent it. */
  file_name: string;
  path: string;
  total_chunks: number;
  /** Where its chunks gather; null for a file of a single chunk. */
  assembly_id: string | null;
  state: 'RECEIVING' | 'COMPLETED';
  /** The file that it became; null while it is receiving. */
  file_id: string | null;
  blob_id: string | null;
  size_bytes: number;
  crc32: number;
};

/** An archive that is listed as PROCESSING until it is unpacked; stays as the receipt until its upload goes. */
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
  /** 1 when it has to be an archive, 0 when it may turn out to be just a file. */
  announced: number;
  state: 'PENDING' | 'UNPACKED' | 'FAILED' | 'NOT_AN_ARCHIVE';
  /** Entries that came in, and their bytes. */
  file_count: number;
  total_size_bytes: number;
  refused_count: number;
  /** The first refused entries: JSON array of `{path, reason}`. */
  refusals: string;
  /** What entries have replaced, overwritten and been renamed to, folders and warnings: JSON of the receipt's fields, `{}` until then. */
  effects: string;
  error: string | null;
  created_at: string;
  ended_at: string | null;
};

/** Bytes that a job under way has taken in and that no file refers to yet; each row holds one reference to its blob. */
export type StagedEntriesTable = {
  job_id: string;
  ordinal: number;
  path: string;
  original_name: string;
  size_bytes: number;
  blob_id: string;
};
