import type { BlobRange } from '../../storage/blobs/blob-store.ts';
import type { Section, Sections } from './sections.ts';

type SectionFile<B> = { file: B; sections: Sections };

/**
 * One job of a comparison in partitions, which writes one file. `B` names its bytes: blobs for whoever has them, places for
 * a worker. Shards are numbered in the order of the input, those of references before all others.
 */
export type PartitionWork<B> =
  /** What some shards recorded, sorted by partition. */
  | { stage: 'COLLATE'; cut: KeyCut; shards: readonly { notes: B; shard: number }[] }
  /** Several such files as one, so that few have to be read for a partition. */
  | { stage: 'MERGE'; files: readonly SectionFile<B>[] }
  /** The similar pairs of one partition. `signed`: what all shards recorded, if the entries lack their words. */
  | {
      stage: 'MATCH';
      cut: KeyCut;
      references: number;
      parts: readonly { file: B; section: Section }[];
      signed: readonly B[];
    }
  /** Several files of pairs as one. */
  | { stage: 'JOIN'; files: readonly SectionFile<B>[] }
  /** The verdicts. */
  | {
      stage: 'SETTLE';
      files: readonly SectionFile<B>[];
      shards: readonly { notes: B; firstRow: number }[];
      references: number;
      counts: readonly number[];
    };

/** What is known of the file that such a job wrote. */
export type PartitionFacts = {
  sections: Sections;
  /** How many samples each of the shards has that were collated. */
  counts?: number[];
  /** How often a sample was not remembered. */
  crowded?: number;
  dropped?: number;
};

export type Locate<A, B> = (bytes: A, ranges?: readonly BlobRange[]) => Promise<B>;

/** The same job with its bytes named in another way. */
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

/** The bytes that a job reads. */
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

/** How the keys of all samples are cut: each key into so many slices of its values, each slice a partition. */
export type KeyCut = {
  slices: number;
  /** Whether the words of a sample are in each of its entries; if not, they are read where they were signed. */
  hasWords: boolean;
};
