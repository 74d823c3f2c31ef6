const kept = 30;
const keyOf = (datasetId: string): string => `tilth-queries ${datasetId}`;

/** Statements that were run on a dataset in this browser, the latest first. */
export function readHistory(datasetId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(datasetId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

export function remember(datasetId: string, sql: string): void {
  const history = [sql, ...readHistory(datasetId).filter((one) => one !== sql)].slice(0, kept);
  try {
    localStorage.setItem(keyOf(datasetId), JSON.stringify(history));
  } catch {
    // If the storage is full, the statement is not kept; it has run all the same.
  }
}
