import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { parseDestination } from '../kernel/destination.ts';
import { createAddressGuard, isPublicAddress } from './address-guard.ts';
import { createOutgoing, OutgoingError } from './index.ts';

/** Addresses that are not public: refused both literally in a URL and as the result of resolving a name. */
const hostileAddresses = [
  '0.0.0.0',
  '0.0.0.1',
  '0.255.255.255',
  '10.0.0.0',
  '10.1.2.3',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.0.0.2',
  '127.1.1.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.169.123',
  '169.254.255.255',
  '172.16.0.1',
  '172.20.10.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.7',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.1.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.9',
  '203.0.113.5',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '254.1.1.1',
  '255.255.255.255',
  '::',
  '::1',
  '::2',
  '::127.0.0.1',
  '::7f00:1',
  '::a9fe:a9fe',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '::ffff:0:8.8.8.8',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::10.0.0.1',
  '100::1',
  '1::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:0:53aa:64c:0:7f:f580:fffe',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:a9fe:a9fe::',
  '2002:808:808::',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'febf::1',
  'fec0::1',
  'fee0::1',
  'ff01::1',
  'ff02::1',
  'ff05::2',
  'ff0e::1',
];

/** Loopback in other spellings that URLs accept. */
const hostileSpellings = [
  '127.1',
  '127.0.1',
  '0',
  '0.0',
  '0x7f.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '0X7F000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '00000177.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '127.0.0.1.',
  '127.0.0.1%2e',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '127.0.0.1%00',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[::1%25lo]',
  '[fe80::1%25eth0]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'loc\u00adalhost',
  'LoCaLhOsT.',
  '%6cocalhost',
];

const canary = { url: '', port: 0, hits: 0, end: () => {} };
before(async () => {
  const server = createServer((socket) => {
    canary.hits += 1;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\ncanary');
  }).listen(0, '::');
  await once(server, 'listening');
  canary.port = (server.address() as AddressInfo).port;
  canary.end = () => server.close();
});
after(() => canary.end());

async function refusal(call: Promise<unknown>): Promise<OutgoingError> {
  const outcome = await call.then(
    () => new Error('it went through'),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof OutgoingError, String(outcome));
  return outcome;
}

test('at least 90 hostile addresses and spellings are tried', () => {
  assert.ok(new Set([...hostileAddresses, ...hostileSpellings]).size >= 90);
});

for (const address of hostileAddresses) {
  test(`${address} is refused, written out or as what a name resolves to`, async () => {
    assert.equal(isPublicAddress(address), false);
    const family = address.includes(':') ? 6 : 4;
    const outgoing = createOutgoing({ allow: [], resolve: async () => [{ address, family }] });
    const host = family === 6 ? `[${address}]` : address;
    const calls = [
      outgoing.fetch(`http://${host}:${canary.port}/`),
      outgoing.fetch(`https://${host}/`),
      outgoing.fetch(`http://rebound.example:${canary.port}/`),
      outgoing.connect({ host: address, port: canary.port }),
      outgoing.connect({ host: 'rebound.example', port: canary.port, tls: {} }),
    ];
    for (const call of calls) assert.equal((await refusal(call)).problem, 'forbidden');
    await outgoing.close();
  });
}

for (const spelling of hostileSpellings) {
  test(`${JSON.stringify(spelling)} is refused`, async () => {
    const outgoing = createOutgoing({ allow: [] });
    const { problem } = await refusal(outgoing.fetch(`http://${spelling}:${canary.port}/`));
    assert.match(problem, /^(?:forbidden|invalid-url|unresolvable)$/);
    const { problem: byDriver } = await refusal(
      outgoing.connect({ host: spelling.replace(/^\[|\]$/g, ''), port: canary.port, timeoutMs: 5_000 }),
    );
    assert.match(byDriver, /^(?:forbidden|unresolvable|unreachable)$/);
    await outgoing.close();
  });
}

test('none of them reached the service at loopback', () => assert.equal(canary.hits, 0));

test('public addresses pass', () => {
  const addresses = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.0.1.1'];
  for (const address of [...addresses, '192.169.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1', '2003::1'])
    assert.equal(isPublicAddress(address), true, address);
  for (const address of ['', 'x', '1.1.1', '1.1.1.1%eth0', '2606:4700::1111%eth0', '[::1]', '1.1.1.1 '])
    assert.equal(isPublicAddress(address), false, address);
});

test('of several answers one that is not public refuses all', async () => {
  const answers = [
    { address: '93.184.216.34', family: 4 },
    { address: '10.0.0.7', family: 4 },
  ];
  const outgoing = createOutgoing({ allow: [], resolve: async () => answers });
  const { message } = await refusal(outgoing.fetch('http://mixed.example/'));
  assert.match(message, /mixed\.example:80 \(10\.0\.0\.7\) are not allowed.*TILTH_OUTGOING_ALLOW/);
  await outgoing.close();
});

test('a name server that changes its mind is asked once, and the answer that was checked is the one connected to', async () => {
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return [asked === 1 ? { address: '192.0.2.1', family: 4 } : { address: '127.0.0.1', family: 4 }];
  };
  // The first DNS answer is allowed but unreachable; a second one would be loopback, which is not allowed.
  const outgoing = createOutgoing({ allow: [parseDestination('192.0.2.0/24')], resolve, connectTimeoutMs: 500 });
  const { problem } = await refusal(outgoing.fetch(`http://rebinding.example:${canary.port}/`));
  assert.match(problem, /^(?:timeout|unreachable)$/);
  assert.deepEqual([asked, canary.hits], [1, 0]);
  assert.equal((await refusal(outgoing.fetch(`http://rebinding.example:${canary.port}/`))).problem, 'forbidden');
  await outgoing.close();
});

const openings: readonly (readonly [allow: string, url: string, open: boolean])[] = [
  ['127.0.0.1', 'http://127.0.0.1:PORT/', true],
  ['127.0.0.1', 'http://127.1:PORT/', true],
  ['127.0.0.1', 'http://localhost:PORT/', true],
  ['127.0.0.1', 'http://[::1]:PORT/', false],
  ['127.0.0.1', 'http://[::ffff:127.0.0.1]:PORT/', false],
  ['127.0.0.1', 'http://127.0.0.2:PORT/', false],
  ['127.0.0.0/8', 'http://127.0.0.2:PORT/', true],
  ['::1', 'http://[::1]:PORT/', true],
  ['[::1]', 'http://[::1]:PORT/', true],
  ['[::1]:PORT', 'http://[::1]:PORT/', true],
  ['[::1]:1', 'http://[::1]:PORT/', false],
  ['127.0.0.1:PORT', 'http://127.0.0.1:PORT/', true],
  ['127.0.0.1:1', 'http://127.0.0.1:PORT/', false],
  ['localhost', 'http://localhost:PORT/', true],
  ['LocalHost', 'http://LOCALHOST:PORT/', true],
  ['localhost:PORT', 'http://localhost:PORT/', true],
  ['localhost:1', 'http://localhost:PORT/', false],
  ['localhost', 'http://127.0.0.1:PORT/', false],
  ['ollama.example', 'http://localhost:PORT/', false],
];
for (const [allow, url, open] of openings) {
  test(`TILTH_OUTGOING_ALLOW=${allow} ${open ? 'opens' : 'keeps closed'} ${url}`, async () => {
    const port = String(canary.port);
    const outgoing = createOutgoing({ allow: [parseDestination(allow.replace('PORT', port))] });
    const call = outgoing.fetch(url.replace('PORT', port));
    if (open) assert.equal(await (await call).text(), 'canary');
    else assert.equal((await refusal(call)).problem, 'forbidden');
    await outgoing.close();
  });
}

test('the address that a socket has is judged like the one that was resolved', () => {
  const guard = createAddressGuard([parseDestination('10.0.0.5')]);
  const target = { host: 'db.example', port: 5432 };
  assert.deepEqual(guard.allowedOf(target, ['10.0.0.5', '10.0.0.6']), ['10.0.0.5']);
  assert.throws(() => guard.allowedOf(target, ['10.0.0.6']), { problem: 'forbidden' });
  assert.throws(() => guard.allowedOf(target, []), { problem: 'forbidden' });
});

for (const text of [
  '',
  'a b',
  'http://x',
  'x/8',
  '*',
  '*.example:80',
  '10.0.0.0/33',
  '::/129',
  '[x]',
  '10.0.0.1:0',
  'x:99999',
  'a@b',
  '0x7f.1',
  'fe80::1%eth0',
])
  test(`${JSON.stringify(text)} is no destination`, () => assert.throws(() => parseDestination(text)));
