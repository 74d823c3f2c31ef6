/** How a check treats what another data folder received: it tells of it instead of looking for it here. */
export type Elsewhere = {
  /** The data folder that is checked. */
  folderNo: number;
  skip(folderNo: number, bytes: { sizeBytes: number }): void;
};

/** Whether another data folder than the one that is checked received the bytes of a row. */
export function isElsewhere<R extends { folder_no: number | null }>(
  row: R,
  elsewhere: Elsewhere,
): row is R & { folder_no: number } {
  return row.folder_no !== null && row.folder_no !== elsewhere.folderNo;
}
