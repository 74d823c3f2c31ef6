import { kindOfValue, mergeKinds, type RowSchema, type ValueKind } from '../row-schema.ts';

/** Kinds of values that a byte scan recognizes without parsing. */
export const scalarBit = { boolean: 1, integer: 2, number: 4, text: 8 } as const;
const scalars = Object.entries(scalarBit) as readonly (readonly [kind: keyof typeof scalarBit, bit: number])[];

/** The kinds seen at one path so far, over many rows. */
export type KindNode = {
  bits: number;
  /** The kinds of parsed values. */
  parsedKind: ValueKind;
  item: KindNode | undefined;
  members: Members | undefined;
};

/** Object members at one path, in order of first appearance. */
export type Members = { list: Member[]; byName: Map<string, Member> };

/** `name`: bytes between the quotes, without escapes; `seenIn`: number of the last object that had this member. */
export type Member = { name: Uint8Array; place: number; node: KindNode; seenIn: number };

/**
 * The kinds of the values of rows, most of them recognized by a byte scan; merges them as `createSchemaCollector` does.
 */
export type KindTree = {
  root: KindNode;
  item(node: KindNode): KindNode;
  membersOf(node: KindNode): Members;
  addMember(members: Members, name: Buffer): Member;
  addBit(node: KindNode, bit: number): void;
  /** Adds the values of a row that is an object. */
  addValues(values: Readonly<Record<string, unknown>>): void;
  /** Increases whenever the tree changes. */
  changes(): number;
  schema(): RowSchema;
};

export function createKindTree(): KindTree {
  const root = createNode();
  let changes = 0;

  function membersOf(node: KindNode): Members {
    if (node.members === undefined) {
      node.members = { list: [], byName: new Map() };
      changes += 1;
    }
    return node.members;
  }

  function addMember(members: Members, name: Buffer): Member {
    const key = name.toString('latin1');
    const known = members.byName.get(key);
    if (known !== undefined) return known;
    const member: Member = { name: Uint8Array.from(name), place: members.list.length, node: createNode(), seenIn: -1 };
    members.list.push(member);
    members.byName.set(key, member);
    changes += 1;
    return member;
  }

  return {
    root,
    membersOf,
    addMember,
    item(node) {
      if (node.item === undefined) {
        node.item = createNode();
        changes += 1;
      }
      return node.item;
    },
    addBit(node, bit) {
      node.bits |= bit;
      changes += 1;
    },
    addValues(values) {
      const members = membersOf(root);
      for (const [name, value] of Object.entries(values)) {
        const { node } = addMember(members, Buffer.from(name));
        const kind = mergeKinds(node.parsedKind, kindOfValue(value));
        if (JSON.stringify(kind) === JSON.stringify(node.parsedKind)) continue;
        node.parsedKind = kind;
        changes += 1;
      }
    },
    changes: () => changes,
    schema: () => (root.members === undefined ? [] : schemaOf(root.members)),
  };
}

function createNode(): KindNode {
  return { bits: 0, parsedKind: { kind: 'null' }, item: undefined, members: undefined };
}

function schemaOf({ list }: Members): RowSchema {
  return list.map(({ name, node }) => [Buffer.from(name).toString(), kindOf(node)]);
}

function kindOf({ bits, parsedKind, item, members }: KindNode): ValueKind {
  let kind = parsedKind;
  for (const [name, bit] of scalars) if ((bits & bit) !== 0) kind = mergeKinds(kind, { kind: name });
  if (item !== undefined) kind = mergeKinds(kind, { kind: 'list', item: kindOf(item) });
  // Merging caps the number of members.
  if (members !== undefined)
    kind = mergeKinds(mergeKinds({ kind: 'object', fields: [] }, { kind: 'object', fields: schemaOf(members) }), kind);
  return kind;
}
