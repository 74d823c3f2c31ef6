// PDF files, as small as the format allows.

export type PdfExtras = {
  /** Added to the document's catalogue. */
  catalog?: string;
  trailer?: string;
  /** The font F1, in place of Helvetica. */
  font?: string;
  /** The font F2. */
  secondFont?: string;
};

/**
 * A Chinese, Japanese or Korean font that is not embedded: its characters are found only by the names of `encoding` and
 * `ordering`.
 */
export function cjkFont(name: string, encoding: string, ordering: string): string {
  const descriptor = `<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>`;
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >> /FontDescriptor ${descriptor} /DW 1000 >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${encoding} /DescendantFonts [${descendant}] >>`;
}

/** Page operators that show a text whose codes are UTF-16. */
export function shownUtf16(text: string): string {
  const hex = [...Buffer.from(text, 'utf16le').swap16()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `BT /F1 12 Tf 72 720 Td <${hex}> Tj ET`;
}

export type RuledTable = {
  /** The upper left corner. */
  left?: number;
  top?: number;
  columnWidth?: number;
  /** How lines are drawn: each whole, or per cell as a thin filled rectangle. */
  as?: 'strokes' | 'rectangles';
  /** Lines that are missing, as `h1` for the first horizontal one below the top, and `v1.0` for a part in row 0. */
  without?: readonly string[];
};

/** Page operators that draw the lines of a table and show the text of its cells in 10 points; rows are 20 high. */
export function shownTable(
  cells: readonly (readonly string[])[],
  { left = 72, top = 600, columnWidth = 120, as = 'strokes', without = [] }: RuledTable = {},
): string {
  const columns = cells[0]?.length ?? 0;
  const right = left + columns * columnWidth;
  const line = (x1: number, y1: number, x2: number, y2: number): string =>
    as === 'strokes'
      ? `${x1} ${y1} m ${x2} ${y2} l S`
      : `q 1 0 0 1 ${x1} ${y1} cm 0 0 ${x1 === x2 ? 0.5 : x2 - x1} ${y1 === y2 ? 0.5 : y2 - y1} re f Q`;
  const across = Array.from({ length: cells.length + 1 }, (_, row) => [`h${row}`, top - 20 * row] as const);
  const down = Array.from({ length: columns + 1 }, (_, column) => [`v${column}`, left + column * columnWidth] as const);
  return [
    ...across.flatMap(([name, y]) => (without.includes(name) ? [] : [line(left, y, right, y)])),
    ...down.flatMap(([name, x]) =>
      without.includes(name)
        ? []
        : cells.flatMap((_, row) =>
            without.includes(`${name}.${row}`) ? [] : [line(x, top - 20 * (row + 1), x, top - 20 * row)],
          ),
    ),
    ...cells.flatMap((row, index) =>
      row.map((text, column) => shownText(text, left + column * columnWidth + 4, top - 20 * index - 14, 10)),
    ),
  ].join('\n');
}

/** Page operators that show a line of text. */
export function shownText(text: string, x: number, y: number, size = 12): string {
  return text === '' ? '' : `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`;
}

/** A PDF in Helvetica: per page its lines (none for a page with only a drawing), or its operators. */
export function pdfOf(
  pages: readonly (string | readonly string[])[],
  {
    catalog = '',
    trailer = '',
    font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    secondFont,
  }: PdfExtras = {},
): Buffer {
  const contents = pages.map((lines) => {
    if (typeof lines === 'string') return lines;
    const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj 0 -16 Td`);
    return lines.length === 0 ? '0 0 100 100 re f' : `BT /F1 12 Tf 72 720 Td ${shown.join(' ')} ET`;
  });
  const firstPage = 4;
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    font,
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R ${secondFont === undefined ? '' : `/F2 ${secondFont}`} >> >> /Contents ${firstPage + 2 * index + 1} 0 R >>`,
      pdfStream(content),
    ]),
  ];
  let text = '%PDF-1.7\n';
  const offsets: number[] = [];
  for (const [index, object] of all.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${all.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function pdfStream(content: string): string {
  return `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`;
}

/** A PDF of one-line pages in which `object` is corrupted. */
export function damagedPdf(lines: readonly string[], object: string): Buffer {
  const text = pdfOf(lines.map((line) => [line])).toString('latin1');
  return Buffer.from(text.replace(object, object.replace('<<', '[ ')), 'latin1');
}
