/** Saves bytes as a file on the user's computer, as a download link does. */
export function saveBytes(bytes: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
