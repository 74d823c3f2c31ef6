import { parseArgs, type ParseArgsConfig } from 'node:util';
import { PackageRefused } from '../../server/operator-packages/index.ts';
import { FolderProblem } from './package-folder.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Runs a command on one folder: `--help` prints its usage; a faulty argument or folder prints one line and exits with
 * 1.
 */
export async function runCommand<O extends Options>(
  { usage, options }: { usage: string; options: O },
  work: (folder: string, values: ReturnType<typeof parseArgs<{ options: O }>>['values']) => void | Promise<void>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  try {
    const { positionals, values } = parse(args, options);
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0)
      throw new FolderProblem(`Exactly one folder is required.\n\n${usage.trimEnd()}`);
    await work(folder, values);
  } catch (error) {
    if (!(error instanceof FolderProblem || error instanceof PackageRefused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function parse<O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    // The message names the unknown option.
    throw error instanceof TypeError ? new FolderProblem(error.message) : error;
  }
}
