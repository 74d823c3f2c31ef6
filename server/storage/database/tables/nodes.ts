/** A process that serves the API over this database. */
export type NodesTable = {
  id: string;
  /** The data folder, which the leases of runs name. */
  place: string;
  version: string;
  /** The newest migration that its release knows. */
  newest_step: string;
  /** Where it listens; empty until it does. */
  address: string;
  started_at: string;
  /** Milliseconds since 1970 by the clock of the database. */
  seen_at: number;
  /** 1 while new calls come: from when it listens until it is told to stop. */
  serving: number;
};
