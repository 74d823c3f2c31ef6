// Reads the command line of `npm test` and `npm run test:long`.
import type { SelectionOptions } from './selection.ts';
import { UsageProblem } from './usage-problem.ts';

export type Options = SelectionOptions & {
  /** Whether to print the usage and run nothing. */
  isHelp: boolean;
  namePatterns: string[];
  skipPatterns: string[];
  /** Options of Node for the test processes. */
  nodeOptions: string[];
  /** No file starts later than this after the start of the run. */
  withinMinutes: number | undefined;
};

export const usage = `Usage: npm test -- [PATH…] [OPTION…]      npm run test:long -- [PATH…] [OPTION…]

PATH                          the files whose path contains one of these texts; all files by default
--changed[=COMMIT]            the files that a change can affect, since COMMIT or since this branch left main
--test-name-pattern=PATTERN   the tests of that name, or all of a file of that path
--test-skip-pattern=PATTERN   the others
--within=MINUTES              no file starts later than that
--help                        this text
Other options are those of Node, such as --cpu-prof or --inspect-brk.`;

const withValue: ReadonlySet<string> = new Set(['--test-name-pattern', '--test-skip-pattern', '--within']);
/** Options of Node for a runner of its own; this one has its own processes and reports. */
const ofRunner = /^--(?:test(?:-|$)|watch)/;

/** Throws UsageProblem for options that neither this command nor Node has. */
export function readOptions(args: readonly string[]): Options {
  const options: Options = {
    isHelp: false,
    isLong: false,
    paths: [],
    changed: false,
    isLimited: false,
    withinMinutes: undefined,
    namePatterns: [],
    skipPatterns: [],
    nodeOptions: [],
  };
  const paths: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name = '', value = withValue.has(arg) ? rest.shift() : undefined] = partsOf(arg);
    if (!arg.startsWith('-')) paths.push(arg.replace(/^\.\//, ''));
    else if (withValue.has(name) && (value === undefined || value === ''))
      throw new UsageProblem(`${name} requires a value: ${name}=…`);
    else if (name === '--help' || name === '-h') options.isHelp = true;
    else if (name === '--long') options.isLong = true;
    else if (name === '--changed') options.changed = value ?? true;
    else if (name === '--within') options.withinMinutes = minutesOf(value);
    else if (name === '--test-name-pattern') options.namePatterns.push(pattern(name, value));
    else if (name === '--test-skip-pattern') options.skipPatterns.push(pattern(name, value));
    else if (ofRunner.test(name) || !process.allowedNodeEnvironmentFlags.has(name))
      throw new UsageProblem(`${name} is no option of the tests.\n\n${usage}`);
    else options.nodeOptions.push(arg);
  }
  return { ...options, paths, isLimited: options.withinMinutes !== undefined };
}

function partsOf(arg: string): string[] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

function minutesOf(text = ''): number {
  const minutes = Number(text);
  if (!(minutes > 0)) throw new UsageProblem(`--within requires a number of minutes above 0, not ${text}.`);
  return minutes;
}

/** Checks a pattern as Node reads it: a regular expression, with or without slashes. */
function pattern(name: string, text = ''): string {
  try {
    void new RegExp(/^\/(.*)\/[a-z]*$/.exec(text)?.[1] ?? text);
  } catch (error) {
    throw new UsageProblem(`${name} requires a regular expression: ${(error as Error).message}.`);
  }
  return text;
}
