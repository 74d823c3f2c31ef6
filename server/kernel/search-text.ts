/**
 * The form in which names are searched and compared: without regard to case (a final sigma is a sigma) and to whether an
 * accented letter came as one character or, as from a Mac, as two.
 */
export function searchTextOf(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
