/** The reference of a cell, such as `B2`; rows and columns count from 0. */
export function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}

/** The column of a cell reference such as `AB12`, from 0; undefined if there is none. */
export function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(place)?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
