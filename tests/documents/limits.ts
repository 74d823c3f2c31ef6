/** Minimum share of a document's words that must be extracted. */
export const leastKept = 0.98;

/**
 * Minimum share of neighbouring words of a package's document that must stay neighbours: at least 0.986 for these
 * papers, 0.90 to 0.97 if their columns are read line by line across. Other kinds have tables, which pdftotext reads by
 * column.
 */
export const leastOrder: Readonly<Record<string, number>> = { 'PDF paper, two columns': 0.98 };

/** Documents of packages from which Tilth extracts less than the peer, with the cause. */
export const lessKept: Readonly<Record<string, readonly [least: number, cause: string]>> = {
  'auto-multiple-choice-doc-pdf-sample-separate.pdf': [0.97, 'pdftotext cuts the turned word DRAFT in three'],
  'texlive-fonts-recommended-doc-pxfontsdoc.pdf': [0.975, 'tables of letters: pdftotext leaves some accents out'],
};
