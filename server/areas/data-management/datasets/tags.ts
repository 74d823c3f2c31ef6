import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { invalid, type AppError } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import { refusingDuplicates } from '../../../storage/database/sql.ts';
import type { TagsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import {
  deleteTag,
  ensureTags,
  findTag,
  insertTag,
  listTags,
  replaceTagsOfDataset,
  updateTag,
  type TagUsage,
} from '../queries/tags.ts';
import type { NewTag, Tag, TagChanges } from '../schemas/tags.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';
import { parseName, parseText } from '../../../kernel/text-fields.ts';

/** Colours for tags without one: dark enough for white text (contrast of at least 4.5). */
const palette = [
  '#B42318',
  '#B54708',
  '#8A6100',
  '#4D7C0F',
  '#15803D',
  '#0F766E',
  '#0E7490',
  '#1D4ED8',
  '#4338CA',
  '#7E22CE',
  '#A21CAF',
  '#BE185D',
];

export type Tags = {
  /** By name; `keyword` matches any part of it, ignoring case. */
  list(keyword: string | undefined): Promise<Tag[]>;
  /** Throws TAG_ALREADY_EXISTS. */
  create(tag: NewTag): Promise<Tag>;
  /** Throws TAG_NOT_FOUND, TAG_ALREADY_EXISTS. */
  update(id: string, changes: TagChanges): Promise<Tag>;
  /** Removes the tag from all datasets; throws TAG_NOT_FOUND. */
  remove(id: string): Promise<void>;
};

export function createTags({ db, clock }: { db: Database; clock: Clock }): Tags {
  return {
    async list(keyword) {
      const rows = await listTags(db.scan, keyword === undefined ? undefined : searchTextOf(keyword));
      return rows.map(toTag);
    },

    async create({ name, color, description }) {
      const row = tagRow(parseTagName('name', name), isoNow(clock));
      if (color !== undefined) row.color = color;
      if (description !== undefined) row.description = parseText('description', description, 200);
      await refusingDuplicates(() => db.write((tx) => insertTag(tx, row)), taken(row.name));
      return toTag({ ...row, usage_count: 0 });
    },

    async update(id, { name, color, description }) {
      const values: Parameters<typeof updateTag>[2] = {};
      if (name !== undefined) {
        values.name = parseTagName('name', name);
        values.name_key = searchTextOf(values.name);
      }
      if (color !== undefined) values.color = color;
      if (description !== undefined) values.description = parseText('description', description, 200);
      const update = () =>
        db.write(async (tx) => {
          if (Object.keys(values).length > 0) await updateTag(tx, id, values);
          const row = await findTag(tx, id);
          if (row === undefined) throw dataErrors.TAG_NOT_FOUND({ id });
          return toTag(row);
        });
      return refusingDuplicates(update, taken(values.name ?? ''));
    },

    async remove(id) {
      if (!(await db.write((tx) => deleteTag(tx, id)))) throw dataErrors.TAG_NOT_FOUND({ id });
    },
  };
}

/** Normalises tag names of a request, without duplicates. */
export function parseTagNames(field: string, names: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const [index, given] of names.entries()) {
    const name = parseTagName(`${field}[${index}]`, given);
    if (!byKey.has(searchTextOf(name))) byKey.set(searchTextOf(name), name);
  }
  return [...byKey.values()];
}

/** Sets exactly these (parsed) tags on a dataset; creates unknown ones. */
export async function setTags(tx: Tx, datasetId: string, names: readonly string[], now: string): Promise<void> {
  const tags =
    names.length === 0
      ? []
      : await ensureTags(
          tx,
          names.map((name) => tagRow(name, now)),
        );
  await replaceTagsOfDataset(
    tx,
    datasetId,
    tags.map((tag) => tag.id),
  );
}

function parseTagName(field: string, given: string): string {
  const name = parseName(field, given, 50);
  if (name.includes(',')) throw invalid(field, parameterProblems.MUST_NOT_HOLD_COMMA.reason({}));
  return name;
}

function tagRow(name: string, now: string): TagsTable {
  const name_key = searchTextOf(name);
  return { id: newId(), name, name_key, color: colorOf(name_key), description: '', created_at: now };
}

function colorOf(key: string): string {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return palette[hash % palette.length] ?? '#1D4ED8';
}

function taken(name: string): (options: { cause: unknown }) => AppError {
  return (options) => dataErrors.TAG_ALREADY_EXISTS({ name }, { ...options, field: 'name' });
}

function toTag({ id, name, color, description, usage_count }: TagUsage): Tag {
  return { id, name, color, description, usageCount: usage_count };
}
