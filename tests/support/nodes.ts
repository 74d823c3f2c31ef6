import { randomUUID } from 'node:crypto';
import { createPostgresDatabase } from './postgres.ts';
import { startProcess, type Ending, type RunningProcess } from './server.ts';
import { credentialsOf, sharedS3 } from './versitygw.ts';
import { templates } from './template-databases.ts';

/** Processes that share only a PostgreSQL and a bucket: each has its own, empty data folder. */
export type NodeGroup = {
  /** URL of the database. */
  database: string;
  settings: Record<string, string>;
  start(more?: Readonly<Record<string, string>>): Promise<RunningProcess>;
};

/** A database and a bucket folder for a group; hooks of the test stop the nodes before removing both. */
export async function openNodeGroup(t: Ending, settings: Readonly<Record<string, string>> = {}): Promise<NodeGroup> {
  const server = await sharedS3();
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    await Promise.all(ends.map((end) => end()));
    await drop();
  });
  const shared = {
    TILTH_STORAGE_URL: `s3://${server.bucket}/nodes-${randomUUID()}`,
    TILTH_STORAGE_ENDPOINT: server.endpoint,
    ...credentialsOf(server),
    ...settings,
  };
  return {
    database: url,
    settings: shared,
    start: (more = {}) =>
      startProcess({ after: (end) => void ends.push(end) }, { database: { url }, settings: { ...shared, ...more } }),
  };
}
