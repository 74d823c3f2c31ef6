/**
 * The form in which names are searched and compared: ignores case (a final sigma is a sigma) and whether an
 * accented letter is one character or, as on a Mac, two.
 */
export function searchTextOf(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
