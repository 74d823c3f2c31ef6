// A fake driver behind the bridge to a cluster: connects it to the benchmark that listens on the given port.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.once('close', () => process.exit(0));
