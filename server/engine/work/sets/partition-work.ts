import type { WholeSet } from '../../../operators/index.ts';
import { openNotes, type OpenPiece } from '../notes.ts';
import type { LocalBytes } from '../../orders/shard.ts';
import { collateShards } from './key-entries.ts';
import { createPairWriter, joinPairs, type PairFile } from './pair-files.ts';
import type { PartitionFacts, PartitionWork } from '../../orders/partition-jobs.ts';
import { matchPartition } from './partition-match.ts';
import { mergeSections, type Sections } from '../../orders/sections.ts';
import { settlePairs } from './settlement.ts';
import { createSignedWords } from './signed-words.ts';

type Resources = { open: OpenPiece; write: (bytes: Uint8Array) => void; beat: () => void };

/** Does one job of a partitioned comparison. */
export function workOnPartition(
  whole: WholeSet,
  work: PartitionWork<LocalBytes>,
  { open, write, beat }: Resources,
): PartitionFacts {
  const search = whole.duplicates;
  if (search === undefined) throw new RangeError('The step compares no pairs');
  const filesOf = (files: readonly { file: LocalBytes; sections: Sections }[]): PairFile[] =>
    files.map(({ file, sections }) => ({ read: open(file), sections }));
  switch (work.stage) {
    case 'COLLATE': {
      const shards = work.shards.map(({ notes, shard }) => ({ read: openNotes(notes, open), shard }));
      return collateShards(whole, shards, { cut: work.cut, write, beat });
    }
    case 'MERGE':
      return { sections: mergeSections(filesOf(work.files), write, beat) };
    case 'MATCH': {
      const { cut, references } = work;
      const parts = work.parts.map(({ file, section }) => ({ read: open(file), section }));
      const wordsOf = cut.hasWords ? undefined : createSignedWords(work.signed.map(open), whole.words);
      return matchPartition(search, parts, { cut, references, wordsOf, write, beat });
    }
    case 'JOIN': {
      const joined = createPairWriter(write);
      for (const pair of joinPairs(filesOf(work.files))) {
        joined.take(pair);
        beat();
      }
      return { sections: joined.finish() };
    }
    case 'SETTLE': {
      const shards = work.shards.map(({ notes, firstRow }) => ({ read: openNotes(notes, open), firstRow }));
      const { references, counts } = work;
      const { dropped } = settlePairs(search, filesOf(work.files), { shards, references, counts, write, beat });
      return { sections: { ends: [], crcs: [] }, dropped };
    }
  }
}
