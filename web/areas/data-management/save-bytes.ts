/** Saves bytes as a file of the person's, as a link to a download does. */
export function saveBytes(bytes: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
