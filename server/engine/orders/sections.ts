import { crc32 } from '../../kernel/crc32.ts';
import { readFully, type ReadAt } from '../../tables/lines.ts';
import { damagedNotes, readChecked } from './stored-bytes.ts';

/** Where the sections of a file end, and their checksums; each begins where the one before ends. */
export type Sections = { ends: number[]; crcs: number[] };

/** One section: bytes `[from, to)` of a file. */
export type Section = { from: number; to: number; crc32: number };

export function sectionOf({ ends, crcs }: Sections, number: number): Section {
  return { from: ends[number - 1] ?? 0, to: ends[number] ?? 0, crc32: crcs[number] ?? 0 };
}

/** Opens a section for reading, with its first byte at position 0. Its bytes are verified before they are returned. */
export function openSection(read: ReadAt, section: Section): ReadAt {
  const checked = readChecked(read, section, damagedNotes);
  return (target, position) => checked(target, section.from + position);
}

const blockBytes = 1 << 18;

/**
 * Calls `visit` for each record of a section with a block of words that contains it, the index of its first word in
 * that block, and its byte position in the section.
 */
export function forEachRecord(
  read: ReadAt,
  { from, to }: Pick<Section, 'from' | 'to'>,
  recordWords: number,
  visit: (words: Uint32Array, start: number, position: number) => void,
): void {
  const recordBytes = 4 * recordWords;
  const block = new Uint32Array(recordWords * Math.max(1, Math.floor(blockBytes / recordBytes)));
  const length = to - from;
  for (let at = 0; at < length; at += block.byteLength) {
    const bytes = new Uint8Array(block.buffer, 0, Math.min(block.byteLength, length - at));
    readFully(read, bytes, at);
    const records = bytes.length / recordBytes;
    for (let record = 0; record < records; record += 1) {
      visit(block, record * recordWords, at + record * recordBytes);
    }
  }
}

/** Writes a file section by section. */
export type SectionWriter = {
  append(bytes: Uint8Array): void;
  /** Ends the section; later bytes belong to the next one. */
  end(): void;
  readonly sections: Sections;
};

export function createSectionWriter(write: (bytes: Uint8Array) => void): SectionWriter {
  const sections: Sections = { ends: [], crcs: [] };
  let written = 0;
  let crc = 0;
  return {
    append(bytes) {
      if (bytes.length === 0) return;
      write(bytes);
      written += bytes.length;
      crc = crc32(bytes, crc);
    },
    end() {
      sections.ends.push(written);
      sections.crcs.push(crc);
      crc = 0;
    },
    sections,
  };
}

/** Merges files section by section: each section of the result concatenates that section of all files. */
export function mergeSections(
  files: readonly { read: ReadAt; sections: Sections }[],
  write: (bytes: Uint8Array) => void,
  beat: () => void,
): Sections {
  const merged = createSectionWriter(write);
  const block = new Uint8Array(blockBytes);
  for (const number of files[0]?.sections.ends.keys() ?? []) {
    for (const { read, sections } of files) {
      const section = sectionOf(sections, number);
      const checked = openSection(read, section);
      for (let at = 0; at < section.to - section.from; at += block.length) {
        const bytes = block.subarray(0, Math.min(block.length, section.to - section.from - at));
        readFully(checked, bytes, at);
        merged.append(bytes);
        beat();
      }
    }
    merged.end();
  }
  return merged.sections;
}
