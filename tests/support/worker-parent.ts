// Starts a worker, prints its process id, gives it an order and waits.
import { spawn } from 'node:child_process';
import { workerArgs } from './cluster.ts';

const child = spawn(process.execPath, workerArgs, { stdio: ['pipe', 'ignore', 'inherit'] });
child.stdin.write(`${process.argv[2]}\n`);
process.stdout.write(String(child.pid));
