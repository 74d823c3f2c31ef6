/** If `--help` was given, prints the usage and exits. */
export function helpOnRequest(usage: string): void {
  if (!process.argv.slice(2).includes('--help')) return;
  process.stdout.write(`${usage}\n`);
  process.exit();
}
