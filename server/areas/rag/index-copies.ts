/** What this process knows of its copies of indexes. */
export type IndexCopies = {
  /** Up to this number of a document the copy has all that searches find; undefined while that is not known. */
  revisionOf(indexId: string): number | undefined;
  setRevision(indexId: string, revision: number): void;
  forget(indexId: string): void;
  /** One work at a time that looks for what a copy misses and adds it. */
  inTurn<T>(indexId: string, work: () => Promise<T>): Promise<T>;
};

export function createIndexCopies(): IndexCopies {
  const revisions = new Map<string, number>();
  const turns = new Map<string, Promise<unknown>>();
  return {
    revisionOf: (indexId) => revisions.get(indexId),
    setRevision: (indexId, revision) => void revisions.set(indexId, Math.max(revision, revisions.get(indexId) ?? 0)),
    forget: (indexId) => void revisions.delete(indexId),
    async inTurn(indexId, work) {
      const turn = (turns.get(indexId) ?? Promise.resolve()).then(work);
      const ended = turn.catch(() => undefined);
      turns.set(indexId, ended);
      try {
        return await turn;
      } finally {
        if (turns.get(indexId) === ended) turns.delete(indexId);
      }
    },
  };
}
