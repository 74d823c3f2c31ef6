/** How a check treats bytes that another data folder received: it reports them instead of looking for them here. */
export type Elsewhere = {
  /** The data folder being checked. */
  folderNo: number;
  skip(folderNo: number, bytes: { sizeBytes: number }): void;
};

/** Whether the bytes of a row were received by a data folder other than the one being checked. */
export function isElsewhere<R extends { folder_no: number | null }>(
  row: R,
  elsewhere: Elsewhere,
): row is R & { folder_no: number } {
  return row.folder_no !== null && row.folder_no !== elsewhere.folderNo;
}
