import { openVerification, type StoredDataFinding, type VerifiedData } from '../stored-data.ts';
import type { Config } from '../config.ts';
import { AppError } from '../kernel/errors.ts';
import { DatabaseNotReadyError } from '../storage/database/read-only-database.ts';
import { CommandError } from './command-error.ts';
import { toCommandError } from './start-problem.ts';
import { createProgressLine } from './verify-progress.ts';
import { findingText, summaryText } from './verify-report.ts';
import type { VerifyCommand } from './verify-command.ts';

/** `verify`: reports damage in stored data; sets the exit code to 1 if there is any. */
export async function verifyStorage({ datasetId, json }: VerifyCommand, config: Config): Promise<void> {
  try {
    const { verification, copiedTo, close } = await openVerification(config);
    try {
      if (copiedTo !== undefined)
        process.stderr.write(
          `The data folder is not writable; its database is read from a temporary copy in ${copiedTo}\n`,
        );
      const progress = createProgressLine(
        process.stderr,
        datasetId === undefined ? await verification.measure() : undefined,
      );
      const report = json ? jsonReport() : textReport();
      let problems = 0;
      const findings = verification.verify({ datasetId, onProgress: progress.update });
      for (;;) {
        const next = await findings.next();
        progress.clear();
        if (next.done === true) {
          await write(report.end(next.value, problems));
          break;
        }
        await write(report.finding(next.value, problems));
        problems += 1;
      }
      if (problems > 0) process.exitCode = 1;
    } finally {
      await close();
    }
  } catch (error) {
    throw notVerified(config, error);
  }
}

type Report = {
  finding(finding: StoredDataFinding, before: number): string;
  end(verified: VerifiedData, problems: number): string;
};

function textReport(): Report {
  return { finding: findingText, end: summaryText };
}

/** One JSON document, written incrementally: the findings may not fit into memory. */
function jsonReport(): Report {
  return {
    finding: (finding, before) => `${before === 0 ? '{"findings":[\n' : ',\n'}${JSON.stringify(finding)}`,
    end: (verified, problems) =>
      `${problems === 0 ? '{"findings":[' : ''}],\n"verified":${JSON.stringify(verified)},\n"problems":${problems}}\n`,
  };
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(text, (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    }),
  );
}

/** Exit code 1 means damaged data; a failed verification gets exit code 2. */
function notVerified(config: Config, error: unknown): unknown {
  const known = toCommandError(config, error);
  const isKnown = known instanceof CommandError || known instanceof AppError || known instanceof DatabaseNotReadyError;
  return isKnown ? new CommandError(known.message, 2, { cause: error }) : error;
}
