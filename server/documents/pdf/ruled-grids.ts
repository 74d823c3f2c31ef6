import type { RuledLine, RuledLines } from './ruled-lines.ts';

/** A grid of cells separated by lines. */
export type RuledGrid = {
  /** Borders from left to right, one more than columns. */
  xs: number[];
  /** Borders from top to bottom, one more than rows. */
  ys: number[];
  /** For each cell, in row order, the first cell of the merged cell that it is part of: no lines separate them. */
  firsts: number[];
  /** Whether any cells are merged. */
  isMerged: boolean;
};

/** Lines this close together are one line, and line ends this close to each other meet. */
const tolerance = 3;
/** If lines extend further than this beyond the outermost crossing line, there is a cell. */
const minCell = 6;
/** A page with more lines, or a grid with more cells, is a drawing. */
const maxLines = 4000;
const maxCells = 10_000;

/** Finds the grids that lines form. Rows without any line between their cells are not part of a grid. */
export function findGrids({ horizontal, vertical }: RuledLines): RuledGrid[] {
  const across = joinLines(horizontal);
  const down = joinLines(vertical);
  const grids: RuledGrid[] = [];
  if (across.length + down.length > maxLines) return grids;
  for (const { across: rows, down: columns } of connectedLines(across, down)) {
    const xs = bordersOf(columns, rows);
    const ys = bordersOf(rows, columns).toReversed();
    if (xs.length < 3 || xs.length * ys.length > maxCells) continue;
    for (const band of bandsOf(ys, xs, columns)) {
      if (band.length < 3) continue;
      const firsts = mergeCells(xs, band, rows, columns);
      grids.push({ xs, ys: band, firsts, isMerged: firsts.some((first, cell) => first !== cell) });
    }
  }
  return grids;
}

/** Joins lines at the same position that touch or overlap. */
function joinLines(lines: readonly RuledLine[]): RuledLine[] {
  const places: RuledLine[][] = [];
  let start = -Infinity;
  for (const line of lines.toSorted((a, b) => a.at - b.at)) {
    if (line.at - start > tolerance) {
      places.push([]);
      start = line.at;
    }
    places.at(-1)?.push(line);
  }
  return places.flatMap((place) => {
    const at = place.reduce((sum, line) => sum + line.at, 0) / place.length;
    const joined: RuledLine[] = [];
    for (const { from, to } of place.toSorted((a, b) => a.from - b.from)) {
      const last = joined.at(-1);
      if (last !== undefined && from <= last.to + tolerance) last.to = Math.max(last.to, to);
      else joined.push({ at, from, to });
    }
    return joined;
  });
}

/** Groups of lines that cross or touch each other. */
function connectedLines(
  across: readonly RuledLine[],
  down: readonly RuledLine[],
): { across: RuledLine[]; down: RuledLine[] }[] {
  const group = Array.from({ length: across.length + down.length }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (group[root] !== root) root = group[root] ?? root;
    group[index] = root;
    return root;
  };
  for (const [row, h] of across.entries()) {
    for (const [column, v] of down.entries()) {
      if (isWithin(v.at, h) && isWithin(h.at, v)) group[rootOf(row)] = rootOf(across.length + column);
    }
  }
  const groups = new Map<number, { across: RuledLine[]; down: RuledLine[] }>();
  const groupOf = (index: number): { across: RuledLine[]; down: RuledLine[] } => {
    const root = rootOf(index);
    const one = groups.get(root) ?? { across: [], down: [] };
    groups.set(root, one);
    return one;
  };
  for (const [row, line] of across.entries()) groupOf(row).across.push(line);
  for (const [column, line] of down.entries()) groupOf(across.length + column).down.push(line);
  return [...groups.values()].filter(({ across: rows, down: columns }) => rows.length > 0 && columns.length > 0);
}

function isWithin(at: number, { from, to }: RuledLine): boolean {
  return at >= from - tolerance && at <= to + tolerance;
}

/** The positions of lines, plus the ends of most crossing lines if these extend beyond: the table may be open there. */
function bordersOf(lines: readonly RuledLine[], crossing: readonly RuledLine[]): number[] {
  const places = [...new Set(lines.map(({ at }) => at))].toSorted((a, b) => a - b);
  const first = openEnd(
    crossing.map(({ from }) => from),
    (end) => end < (places[0] ?? 0) - minCell,
  );
  const last = openEnd(
    crossing.map(({ to }) => to),
    (end) => end > (places.at(-1) ?? 0) + minCell,
  );
  return [...(first === undefined ? [] : [first]), ...places, ...(last === undefined ? [] : [last])];
}

function openEnd(ends: readonly number[], isBeyond: (end: number) => boolean): number | undefined {
  const beyond = ends.filter(isBeyond);
  const [first] = beyond;
  if (first === undefined || 2 * beyond.length <= ends.length) return undefined;
  return beyond.every((end) => Math.abs(end - first) <= tolerance) ? first : undefined;
}

/** Splits the rows at rows without lines between their cells, such as the title of a table. */
function bandsOf(ys: readonly number[], xs: readonly number[], columns: readonly RuledLine[]): number[][] {
  const bands: number[][] = [[]];
  for (let row = 0; row + 1 < ys.length; row += 1) {
    const [top = 0, bottom = 0] = [ys[row], ys[row + 1]];
    if (xs.slice(1, -1).some((x) => hasLine(columns, x, (top + bottom) / 2))) {
      const band = bands.at(-1);
      if (band?.length === 0) band.push(top);
      band?.push(bottom);
    } else bands.push([]);
  }
  return bands;
}

function mergeCells(
  xs: readonly number[],
  ys: readonly number[],
  rows: readonly RuledLine[],
  columns: readonly RuledLine[],
): number[] {
  const width = xs.length - 1;
  const firsts = Array.from({ length: width * (ys.length - 1) }, (_, cell) => cell);
  const firstOf = (cell: number): number => {
    let first = cell;
    while (firsts[first] !== first) first = firsts[first] ?? first;
    return first;
  };
  const merge = (one: number, other: number): void => {
    const [a, b] = [firstOf(one), firstOf(other)];
    firsts[Math.max(a, b)] = Math.min(a, b);
  };
  const middle = (places: readonly number[], index: number): number =>
    ((places[index] ?? 0) + (places[index + 1] ?? 0)) / 2;
  for (const cell of firsts.keys()) {
    const [row, column] = [Math.floor(cell / width), cell % width];
    if (column > 0 && !hasLine(columns, xs[column], middle(ys, row))) merge(cell - 1, cell);
    if (row > 0 && !hasLine(rows, ys[row], middle(xs, column))) merge(cell - width, cell);
  }
  return firsts.map((_, cell) => firstOf(cell));
}

function hasLine(lines: readonly RuledLine[], at: number | undefined, through: number): boolean {
  return lines.some((line) => line.at === at && line.from <= through && line.to >= through);
}
