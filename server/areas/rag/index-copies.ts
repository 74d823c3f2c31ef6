/** The state of this process's copies of indexes. */
export type IndexCopies = {
  /** The revision up to which the copy has every searchable document; undefined while unknown. */
  revisionOf(indexId: string): number | undefined;
  setRevision(indexId: string, revision: number): void;
  forget(indexId: string): void;
  /** Runs the work that finds and adds what a copy lacks, one at a time per index. */
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
