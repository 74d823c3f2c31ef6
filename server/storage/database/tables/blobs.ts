/** One row for each blob that other rows refer to. */
export type BlobsTable = {
  id: string;
  size_bytes: number;
  /** Unsigned CRC-32 of the whole. */
  crc32: number;
  /** Lower-case hex; null until computed. */
  sha256: string | null;
  /** Number of rows that refer to it; at 0 the sweep erases it. */
  refs: number;
  kind: 'empty' | 'file' | 'pack';
  /** Name of the file or pack that holds the bytes; '' for no bytes. */
  object_id: string;
  object_offset: number;
};

/** A blob that is arriving as numbered chunks; its bytes stand in the file of the same id, odd chunks beside it. */
export type AssembliesTable = {
  id: string;
  total_chunks: number;
  chunk_size_bytes: number | null;
  /** Set when all chunks were there: size and checksums of the whole. */
  sealed_size_bytes: number | null;
  sealed_crc32: number | null;
  sealed_sha256: string | null;
  /** Place of the sealed bytes. */
  sealed_kind: 'empty' | 'file' | 'pack' | null;
  sealed_object_id: string | null;
  sealed_object_offset: number | null;
  /** Boot of the machine under which chunks were last written: after another boot unsynced bytes are checked again. */
  boot_id: string;
};

export type AssemblyChunksTable = {
  assembly_id: string;
  chunk_no: number;
  size_bytes: number;
  crc32: number;
  /** Number of the file beside the blob's in which the bytes wait; 0 when they stand in place. */
  beside: number;
};

/** The data folders of the services that share the database. */
export type DataFoldersTable = { place: string; first_used_at: string };
