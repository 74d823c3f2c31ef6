const integer = /^-?(?:0|[1-9]\d{0,17})$/;
// Not what loses digits as a double, nor a number of a code with zeros in front.
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?$/;
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const timestamp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/;

/** From the narrowest type on; each holds the cells of those before it in the same list. */
const ladders: readonly (readonly (readonly [type: string, pattern: RegExp])[])[] = [
  [
    ['BIGINT', integer],
    ['DOUBLE', number],
  ],
  [['BOOLEAN', /^(?:true|false)$/i]],
  [['DATE', date]],
  [['TIMESTAMP', timestamp]],
];

/** The type that all cells of a column have; empty cells have none. */
export type CellKind = {
  add(cell: string): void;
  type(): string;
};

export function createCellKind(): CellKind {
  let ladder: (typeof ladders)[number] | undefined;
  let rung = 0;
  let isText = false;

  return {
    add(cell) {
      if (isText || cell === '') return;
      ladder ??= ladders.find((types) => types.some(([, pattern]) => pattern.test(cell)));
      while (ladder?.[rung]?.[1].test(cell) === false) rung += 1;
      isText = ladder?.[rung] === undefined;
    },
    type: () => (isText ? 'VARCHAR' : (ladder?.[rung]?.[0] ?? 'VARCHAR')),
  };
}
