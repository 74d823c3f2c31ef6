import {
  addValue,
  createSketch,
  histogramOf,
  mergeSketch,
  quantilesOf,
  storedSketch,
  type HistogramBin,
  type Quantiles,
  type Sketch,
  type StoredSketch,
} from '../engine/orders/sketch.ts';
import type { ContentFacts, TextFacts, TextFieldFacts } from './content-facts.ts';

type Distribution = { total: number; mean: number | null; quantiles: Quantiles | null; histogram: HistogramBin[] };

export type TextTotals = {
  texts: number;
  empty: number;
  repeated: number;
  characters: Distribution;
  tokens: Distribution;
  languages: { language: string; count: number }[];
  /** The text fields of tables, the most frequent first. */
  fields: (TextFieldFacts & { tables: number })[];
  /** Tables with text fields that are not listed. */
  otherTables: number;
};

/** A column in all files that have it with this type; the number of distinct values is known only for a single file. */
export type ColumnTotals = {
  name: string;
  type: string;
  files: number;
  rows: number;
  nulls: number;
  distinct: number | null;
  /** Those of the files whose texts are counted from this column. */
  textFiles: number;
};

export type ImageTotals = {
  images: number;
  formats: { format: string; count: number }[];
  /** The most frequent resolutions; `otherResolutions` counts the rest. */
  resolutions: { width: number; height: number; count: number }[];
  otherResolutions: number;
  width: Distribution;
  height: Distribution;
  /** Width divided by height. */
  aspects: { aspect: Aspect; count: number }[];
};

/** From tall to wide; SQUARE allows a deviation of one twentieth. */
export const aspects = ['TALL', 'PORTRAIT', 'SQUARE', 'LANDSCAPE', 'WIDE'] as const;
export type Aspect = (typeof aspects)[number];

export type ContentTotals = {
  kinds: { kind: ContentFacts['kind']; files: number; sizeBytes: number }[];
  table: { rows: number; unreadable: number; columns: ColumnTotals[]; omittedColumns: number } | null;
  texts: TextTotals | null;
  images: ImageTotals | null;
};

const mostColumns = 1_000;
const mostResolutions = 20;
/** Resolutions that are counted one by one; of a set with more, those that appear later count as others. */
const mostCountedResolutions = 100_000;
const mostFields = 100;

/** Totals over contents, in memory that does not grow with their number. */
export function createContentTotals(): {
  add(facts: ContentFacts, sizeBytes: number): void;
  totals(): ContentTotals;
} {
  const kinds = new Map<ContentFacts['kind'], { files: number; sizeBytes: number }>();
  const texts = createTexts();
  const fields = createFields();
  const columns = new Map<string, ColumnTotals>();
  const omitted = new Set<string>();
  const formats = new Map<string, number>();
  const resolutions = new Map<string, number>();
  let uncounted = 0;
  const sides = new Map<Aspect, number>();
  const [widths, heights] = [createSummed(), createSummed()];
  let [rows, unreadable] = [0, 0];

  function addColumns(facts: ContentFacts & { kind: 'TABLE' }): void {
    for (const { name, type, nulls, distinct, rows: ofRows, isText } of facts.columns) {
      const textFiles = isText === true ? 1 : 0;
      const key = JSON.stringify([name, type]);
      const known = columns.get(key);
      if (known !== undefined) {
        known.files += 1;
        known.rows += ofRows;
        known.nulls += nulls;
        known.textFiles += textFiles;
        known.distinct = null;
      } else if (columns.size < mostColumns)
        columns.set(key, {
          name,
          type,
          files: 1,
          rows: ofRows,
          nulls,
          textFiles,
          distinct: Math.min(distinct, ofRows - nulls),
        });
      else if (omitted.size < 1_000_000) omitted.add(key);
    }
  }

  return {
    add(facts, sizeBytes) {
      const kind = kinds.get(facts.kind) ?? { files: 0, sizeBytes: 0 };
      kinds.set(facts.kind, { files: kind.files + 1, sizeBytes: kind.sizeBytes + sizeBytes });
      if ('texts' in facts && facts.texts !== null) texts.add(facts.texts);
      if (facts.kind === 'TABLE') {
        rows += facts.rows;
        unreadable += facts.unreadable;
        addColumns(facts);
        for (const field of facts.fields ?? []) fields.add(field);
      } else if (facts.kind === 'IMAGE') {
        const { width, height, format } = facts;
        increase(formats, format);
        const size = `${width}×${height}`;
        if (resolutions.has(size) || resolutions.size < mostCountedResolutions) increase(resolutions, size);
        else uncounted += 1;
        increase(sides, aspectOf(width / height));
        widths.add(width);
        heights.add(height);
      }
    },
    totals() {
      const ranked = byCount(resolutions);
      return {
        kinds: [...kinds].map(([kind, found]) => ({ kind, ...found })),
        table: kinds.has('TABLE')
          ? { rows, unreadable, columns: [...columns.values()], omittedColumns: omitted.size }
          : null,
        texts: withFields(texts.totals(), fields.totals()),
        images: kinds.has('IMAGE')
          ? {
              images: kinds.get('IMAGE')?.files ?? 0,
              formats: byCount(formats).map(([format, count]) => ({ format, count })),
              resolutions: ranked.slice(0, mostResolutions).map(([size, count]) => {
                const [width = 0, height = 0] = size.split('×').map(Number);
                return { width, height, count };
              }),
              otherResolutions: ranked.slice(mostResolutions).reduce((sum, [, count]) => sum + count, uncounted),
              width: widths.distribution(),
              height: heights.distribution(),
              aspects: aspects.map((aspect) => ({ aspect, count: sides.get(aspect) ?? 0 })),
            }
          : null,
      };
    },
  };
}

function aspectOf(ratio: number): Aspect {
  if (ratio < 0.5) return 'TALL';
  if (ratio < 0.95) return 'PORTRAIT';
  if (ratio <= 1.05) return 'SQUARE';
  return ratio <= 2 ? 'LANDSCAPE' : 'WIDE';
}

/** Merges the texts of a workbook's sheets into one content. */
export function mergeTexts(parts: readonly TextFacts[]): TextFacts | null {
  if (parts.length < 2) return parts[0] ?? null;
  const [characters, tokens] = [createSummed(), createSummed()];
  const languages = new Map<string, number>();
  let [texts, empty, repeated] = [0, 0, 0];
  for (const part of parts) {
    texts += part.texts;
    empty += part.empty;
    repeated += part.repeated;
    characters.merge(part.characters);
    tokens.merge(part.tokens);
    for (const [language, count] of Object.entries(part.languages)) increase(languages, language, count);
  }
  return {
    texts,
    empty,
    repeated,
    characters: characters.stored(),
    tokens: tokens.stored(),
    languages: Object.fromEntries(languages),
  };
}

type FieldTotals = Pick<TextTotals, 'fields' | 'otherTables'>;

function withFields(texts: Omit<TextTotals, keyof FieldTotals> | null, fields: FieldTotals): TextTotals | null {
  return texts === null ? null : { ...texts, ...fields };
}

function createFields(): { add(field: TextFieldFacts): void; totals(): FieldTotals } {
  const fields = new Map<string, FieldTotals['fields'][number]>();
  let otherTables = 0;
  return {
    add({ field, isDetected }) {
      const key = JSON.stringify([field, isDetected]);
      const known = fields.get(key);
      if (known !== undefined) known.tables += 1;
      else if (fields.size < mostFields) fields.set(key, { field, isDetected, tables: 1 });
      else otherTables += 1;
    },
    totals: () => ({
      fields: [...fields.values()].toSorted((one, other) => other.tables - one.tables),
      otherTables,
    }),
  };
}

function createTexts(): {
  add(facts: TextFacts): void;
  totals(): Omit<TextTotals, keyof FieldTotals> | null;
} {
  let merged: TextFacts | null = null;
  return {
    add(facts) {
      merged = merged === null ? facts : mergeTexts([merged, facts]);
    },
    totals() {
      if (merged === null) return null;
      const { texts, empty, repeated, characters, tokens, languages } = merged;
      const [lengths, counts] = [createSummed(), createSummed()];
      lengths.merge(characters);
      counts.merge(tokens);
      return {
        texts,
        empty,
        repeated,
        characters: lengths.distribution(),
        tokens: counts.distribution(),
        languages: byCount(new Map(Object.entries(languages))).map(([language, count]) => ({ language, count })),
      };
    },
  };
}

type Summed = {
  add(value: number): void;
  merge(stored: StoredSketch & { sum: number }): void;
  stored(): StoredSketch & { sum: number };
  distribution(): Distribution;
};

function createSummed(): Summed {
  const sketch: Sketch = createSketch();
  let sum = 0;
  return {
    add(value) {
      addValue(sketch, 'COUNT', value);
      sum += value;
    },
    merge(stored) {
      mergeSketch(sketch, stored);
      sum += stored.sum;
    },
    stored: () => ({ ...storedSketch(sketch), sum }),
    distribution: () => ({
      total: sum,
      mean: sketch.count === 0 ? null : sum / sketch.count,
      quantiles: quantilesOf(sketch, 'COUNT'),
      histogram: histogramOf(sketch, 'COUNT'),
    }),
  };
}

function increase<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function byCount(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].toSorted(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
}
