// What a test file changes in its process, which it shares with other files.

/** Functions that tests replace: holder, its name and the names of its functions. */
const replaceable: readonly (readonly [object, string, readonly string[]])[] = [
  [
    globalThis,
    '',
    ['Date', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'],
  ],
  [Date, 'Date.', ['now']],
  [Math, 'Math.', ['random']],
  [performance, 'performance.', ['now']],
  [console, 'console.', ['log', 'info', 'warn', 'error']],
  [process, 'process.', ['emitWarning', 'kill', 'memoryUsage', 'hrtime']],
  [process.stdout, 'process.stdout.', ['write']],
  [process.stderr, 'process.stderr.', ['write']],
];

/** Set for good, and to the same values each time: by libraries when they are loaded, and for the S3 server of all tests. */
const setForAll: ReadonlySet<string> = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'LANCE_CPU_THREADS',
  'NODE_ENV',
  'TOKIO_WORKER_THREADS',
  'VIPSHOME',
]);

/**
 * Watches the process until `undo` is called, which restores its environment, current folder and replaced functions, and
 * returns what differed. `onExit` learns where `process.exit` is called.
 */
export function watchProcess(onExit: (call: string) => void): { undo(): string[] } {
  const environment = { ...process.env };
  const folder = process.cwd();
  const functions = replaceable.flatMap(([holder, prefix, names]) =>
    names.map((name) => ({ holder, name, prefix, value: Reflect.get(holder, name) as unknown })),
  );
  const { exit } = process;
  const watchedExit: typeof exit = (code) => {
    const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
    onExit(`process.exit(${code ?? ''}) ${caller.trim()}`);
    return exit(code);
  };
  process.exit = watchedExit;
  return {
    undo() {
      const changed: string[] = [];
      if (process.exit !== watchedExit) changed.push('process.exit');
      process.exit = exit;
      for (const { holder, name, prefix, value } of functions) {
        if (Reflect.get(holder, name) === value) continue;
        Reflect.set(holder, name, value);
        changed.push(prefix + name);
      }
      for (const name of new Set([...Object.keys(environment), ...Object.keys(process.env)])) {
        const value = environment[name];
        if (process.env[name] === value || setForAll.has(name)) continue;
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
        changed.push(`process.env.${name}`);
      }
      if (process.cwd() !== folder) {
        process.chdir(folder);
        changed.push('process.cwd()');
      }
      return changed;
    },
  };
}
