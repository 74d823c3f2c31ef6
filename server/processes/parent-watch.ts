/**
 * Ends this child process at once when the process that started it is gone. `process.exit` would not do: it waits for native code that may
 * work for minutes and write gigabytes meanwhile.
 */
export function endWithParent(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
