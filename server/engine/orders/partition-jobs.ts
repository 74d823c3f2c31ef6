import type { BlobRange } from '../../storage/blobs/blob-store.ts';
import type { Section, Sections } from './sections.ts';

type SectionFile<B> = { file: B; sections: Sections };

/**
 * One job of a partitioned comparison; it writes one file. `B` identifies its input: blobs in the engine, local places
 * in a worker. Shards are numbered in the order of the input, reference shards first.
 */
export type PartitionWork<B> =
  /** Sorts the records of some shards by partition. */
  | { stage: 'COLLATE'; cut: KeyCut; shards: readonly { notes: B; shard: number }[] }
  /** Merges several such files, so that a partition is read from few files. */
  | { stage: 'MERGE'; files: readonly SectionFile<B>[] }
  /**
   * Finds the similar pairs of one partition. `signed`: the signatures of all shards, if the entries lack the words.
   */
  | {
      stage: 'MATCH';
      cut: KeyCut;
      references: number;
      parts: readonly { file: B; section: Section }[];
      signed: readonly B[];
    }
  /** Merges several files of pairs. */
  | { stage: 'JOIN'; files: readonly SectionFile<B>[] }
  /** Decides the verdicts. */
  | {
      stage: 'SETTLE';
      files: readonly SectionFile<B>[];
      shards: readonly { notes: B; firstRow: number }[];
      references: number;
      counts: readonly number[];
    };

/** Facts about the file that such a job wrote. */
export type PartitionFacts = {
  sections: Sections;
  /** Number of samples of each collated shard. */
  counts?: number[];
  /** How often a sample was not remembered because its group was full. */
  crowded?: number;
  dropped?: number;
};

export type Locate<A, B> = (bytes: A, ranges?: readonly BlobRange[]) => Promise<B>;

/** The same job with its inputs mapped by `locate`. */
export async function placeWork<A, B>(work: PartitionWork<A>, locate: Locate<A, B>): Promise<PartitionWork<B>> {
  const placeFiles = async (files: readonly SectionFile<A>[]): Promise<SectionFile<B>[]> => {
    const placed = [];
    for (const { file, sections } of files) placed.push({ file: await locate(file), sections });
    return placed;
  };
  switch (work.stage) {
    case 'COLLATE': {
      const shards = [];
      for (const { notes, shard } of work.shards) shards.push({ notes: await locate(notes), shard });
      return { ...work, shards };
    }
    case 'MATCH': {
      const parts = [];
      for (const { file, section } of work.parts) {
        parts.push({ file: await locate(file, [{ from: section.from, to: section.to }]), section });
      }
      const signed = [];
      for (const notes of work.signed) signed.push(await locate(notes));
      return { ...work, parts, signed };
    }
    case 'MERGE':
    case 'JOIN':
      return { ...work, files: await placeFiles(work.files) };
    case 'SETTLE': {
      const shards = [];
      for (const { notes, firstRow } of work.shards) shards.push({ notes: await locate(notes), firstRow });
      return { ...work, files: await placeFiles(work.files), shards };
    }
  }
}

/** The inputs that a job reads. */
export function bytesOfWork<B>(work: PartitionWork<B>): B[] {
  switch (work.stage) {
    case 'COLLATE':
      return work.shards.map(({ notes }) => notes);
    case 'MATCH':
      return [...work.parts.map(({ file }) => file), ...work.signed];
    case 'MERGE':
    case 'JOIN':
      return work.files.map(({ file }) => file);
    case 'SETTLE':
      return [...work.files.map(({ file }) => file), ...work.shards.map(({ notes }) => notes)];
  }
}

/**
 * How the keys of all samples are partitioned: the values of each key are cut into `slices` slices, each a partition.
 */
export type KeyCut = {
  slices: number;
  /** Whether each entry contains its sample's words; if not, they are read from the shard's signatures. */
  hasWords: boolean;
};
