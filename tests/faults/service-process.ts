import { runCommand } from '../support/server.ts';

/** The service as a process that is killed and restarted over the same folder. */
export type ServiceProcess = {
  /** Of the current process. */
  readonly url: string;
  readonly isRunning: boolean;
  /** Its standard error so far. */
  readonly log: string;
  /** Sends a signal (default SIGKILL), unless it has ended already, and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills the running process and starts a new one; throws when the service exits before it listens. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>;
};

/** Starts the service with these settings and variables; the caller must end it. */
export async function startService(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const launch = async (more: Readonly<Record<string, string>> = {}) => {
    const { child, output, exited } = runCommand(['serve'], {
      TILTH_PORT: '0',
      TILTH_RATE_LIMIT_PER_MINUTE: '0',
      TILTH_RATE_LIMIT_PER_HOUR: '0',
      TILTH_DISK_RESERVE_MB: '0',
      TILTH_LOW_DISK_SPACE_MB: '0',
      ...environment,
      ...more,
    });
    const listening = new Promise<string>((resolve) => {
      child.stdout?.on('data', () => {
        const found = /listens on (http:\/\/\S+)\n/.exec(output.stdout)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const url = await Promise.race([listening, exited.then(() => undefined)]);
    if (url === undefined)
      throw new Error(
        `The service ended with ${child.exitCode ?? child.signalCode} before it listened: ${output.stderr}`,
      );
    return { child, output, exited, url };
  };

  let current = await launch();
  const isRunning = (): boolean => current.child.exitCode === null && current.child.signalCode === null;

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (isRunning()) current.child.kill(signal);
    await current.exited;
  }

  return {
    get url() {
      return current.url;
    },
    get isRunning() {
      return isRunning();
    },
    get log() {
      return current.output.stderr;
    },
    kill,
    async restart(more) {
      await kill();
      current = await launch(more);
    },
  };
}
