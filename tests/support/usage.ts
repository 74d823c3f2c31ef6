/** If `--help` was given, prints how a command is called and ends the process. */
export function helpOnRequest(usage: string): void {
  if (!process.argv.slice(2).includes('--help')) return;
  process.stdout.write(`${usage}\n`);
  process.exit();
}
