/** One row for each blob that other rows refer to. */
export type BlobsTable = {
  id: string;
  size_bytes: number;
  /** Unsigned CRC-32 of all bytes. */
  crc32: number;
  /** Lower-case hex; null until computed. */
  sha256: string | null;
  /** Number of rows that refer to it; at 0 the sweep erases it. */
  refs: number;
  kind: 'empty' | 'file' | 'pack';
  /** Name of the file or pack that holds the bytes; '' for an empty blob. */
  object_id: string;
  object_offset: number;
  /** The data folder that received the bytes, if several services may share the database; null if not recorded. */
  folder_no: number | null;
};

/** A blob that arrives as numbered chunks; its bytes are in the file of the same id, out-of-place chunks in separate files. */
export type AssembliesTable = {
  id: string;
  total_chunks: number;
  chunk_size_bytes: number | null;
  /** Set when all chunks are received: size and checksums of the whole. */
  sealed_size_bytes: number | null;
  sealed_crc32: number | null;
  sealed_sha256: string | null;
  /** Place of the sealed bytes. */
  sealed_kind: 'empty' | 'file' | 'pack' | null;
  sealed_object_id: string | null;
  sealed_object_offset: number | null;
  /** Boot of the machine during which chunks were last written: after a reboot, unsynced bytes are checked again. */
  boot_id: string;
  /** Like `folder_no` of a blob. */
  folder_no: number | null;
  /** In an object store: the multipart upload whose parts are the chunks that are not beside; null until it is started. */
  upload_id: string | null;
};

export type AssemblyChunksTable = {
  assembly_id: string;
  chunk_no: number;
  size_bytes: number;
  crc32: number;
  /** Number of the separate file that holds the chunk; 0 when it is in place. */
  beside: number;
};

/** Claimed by the first writer of each chunk in an object store: only it may send parts, so that none is ever overwritten. */
export type AssemblyClaimsTable = { assembly_id: string; chunk_no: number };

/** The object store that holds the bytes of this database, if they are not in a folder; `marker` is also stored there. */
export type ObjectStoresTable = { slot: number; marker: string; url: string; first_used_at: string };

/** The data folders of the services that share the database. */
export type DataFoldersTable = { place: string; first_used_at: string; folder_no: number };
