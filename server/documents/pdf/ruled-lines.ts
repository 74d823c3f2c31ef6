import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A horizontal or vertical line of a page, in points from the page's lower left corner. */
export type RuledLine = {
  /** The y of a horizontal line, the x of a vertical one. */
  at: number;
  from: number;
  to: number;
};

export type RuledLines = { horizontal: RuledLine[]; vertical: RuledLine[] };

export type RuledLineCollector = RuledLines & {
  /** Processes one drawing operator of the page. */
  take(operator: number, args: readonly unknown[]): void;
};

type Matrix = readonly [number, number, number, number, number, number];
type State = { matrix: Matrix; lineWidth: number };

/** A thicker stroke or rectangle is a bar or a background. */
const maxThickness = 4;
/** A shorter line is part of a glyph, or a dash. */
const minLength = 3;
/** A page with more lines is a drawing, without tables. */
const maxLines = 20_000;
/** Number of values after each kind of segment in pdf.js's path data. */
const segmentValues = [2, 2, 6, 4, 0];
const [moveTo, , , , closePath] = [0, 1, 2, 3, 4];

const strokes = new Set<number>([OPS.stroke, OPS.closeStroke]);
const fills = new Set<number>([OPS.fill, OPS.eoFill]);
const strokedFills = new Set<number>([OPS.fillStroke, OPS.eoFillStroke, OPS.closeFillStroke, OPS.closeEOFillStroke]);

/** Collects the ruled lines that a page draws, as strokes or as thin rectangles. */
export function createRuledLineCollector(): RuledLineCollector {
  const horizontal: RuledLine[] = [];
  const vertical: RuledLine[] = [];
  let state: State = { matrix: [1, 0, 0, 1, 0, 0], lineWidth: 1 };
  const saved: State[] = [];
  /** Depth within annotations: form fields and comments draw frames of their own. */
  let annotations = 0;

  function add(lines: RuledLine[], at: number, a: number, b: number): void {
    if (Math.abs(a - b) < minLength || horizontal.length + vertical.length > maxLines) return;
    lines.push({ at, from: Math.min(a, b), to: Math.max(a, b) });
  }

  function addStroke([x1, y1]: Point, [x2, y2]: Point): void {
    if (Math.abs(y1 - y2) <= 0.5) add(horizontal, (y1 + y2) / 2, x1, x2);
    else if (Math.abs(x1 - x2) <= 0.5) add(vertical, (x1 + x2) / 2, y1, y2);
  }

  function addThinShape(points: readonly Point[]): void {
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (top - bottom <= maxThickness && right - left > top - bottom) add(horizontal, (top + bottom) / 2, left, right);
    else if (right - left <= maxThickness) add(vertical, (left + right) / 2, bottom, top);
  }

  function addPath(operator: number, data: ArrayLike<number>): void {
    const { matrix, lineWidth } = state;
    const isStroke = strokes.has(operator) || strokedFills.has(operator);
    if (!isStroke && !fills.has(operator)) return;
    const scale = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
    if (isStroke && lineWidth * scale > maxThickness) return;
    for (const points of shapesOf(data, matrix)) {
      if (!isStroke) {
        if (points.length <= 5) addThinShape(points);
        continue;
      }
      for (const [index, point] of points.entries()) {
        const before = points[index - 1];
        if (before !== undefined) addStroke(before, point);
      }
    }
  }

  return {
    horizontal,
    vertical,
    take(operator, args) {
      if (operator === OPS.save) saved.push(state);
      else if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) state = saved.pop() ?? state;
      else if (operator === OPS.transform) state = { ...state, matrix: multiply(state.matrix, args) };
      else if (operator === OPS.setLineWidth) state = { ...state, lineWidth: Number(args[0]) };
      else if (operator === OPS.paintFormXObjectBegin) {
        saved.push(state);
        const matrix = (args[0] ?? null) as ArrayLike<number> | null;
        if (matrix !== null) state = { ...state, matrix: multiply(state.matrix, matrix) };
      } else if (operator === OPS.beginAnnotation) annotations += 1;
      else if (operator === OPS.endAnnotation) annotations -= 1;
      else if (operator === OPS.constructPath && annotations === 0) {
        const [data] = args[1] as [ArrayLike<number> | null];
        if (data !== null) addPath(Number(args[0]), data);
      }
    },
  };
}

type Point = readonly [x: number, y: number];

/** The straight parts of a path, as points on the page; a curve ends a part. */
function shapesOf(data: ArrayLike<number>, matrix: Matrix): Point[][] {
  const shapes: Point[][] = [];
  let points: Point[] = [];
  const pointAt = (index: number): Point => {
    const [x, y] = [data[index] ?? 0, data[index + 1] ?? 0];
    return [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]];
  };
  for (let index = 0; index < data.length;) {
    const kind = data[index] ?? moveTo;
    const values = segmentValues[kind] ?? 0;
    const end = pointAt(index + values - 1);
    if (kind === closePath) {
      if (points[0] !== undefined) points.push(points[0]);
    } else if (kind === 1) points.push(end);
    else {
      if (points.length > 1) shapes.push(points);
      points = [end];
    }
    index += 1 + values;
  }
  if (points.length > 1) shapes.push(points);
  return shapes;
}

function multiply(m: Matrix, values: ArrayLike<unknown>): Matrix {
  const [a, b, c, d, e, f] = Array.from(values, Number);
  const [n0, n1, n2, n3, n4, n5] = [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
  return [
    m[0] * n0 + m[2] * n1,
    m[1] * n0 + m[3] * n1,
    m[0] * n2 + m[2] * n3,
    m[1] * n2 + m[3] * n3,
    m[0] * n4 + m[2] * n5 + m[4],
    m[1] * n4 + m[3] * n5 + m[5],
  ];
}
