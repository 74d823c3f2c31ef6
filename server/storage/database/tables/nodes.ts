/** A process that serves the API over this database. */
export type NodesTable = {
  id: string;
  /** The data folder, which the leases of runs name. */
  place: string;
  version: string;
  /** The newest migration known to its release. */
  newest_step: string;
  /** Address on which it listens; empty until then. */
  address: string;
  started_at: string;
  /** Unix milliseconds by the database's clock. */
  seen_at: number;
  /** 1 while it accepts new calls: from when it listens until it is told to stop. */
  serving: number;
};
