import { BlockList, isIP } from 'node:net';

/** Where an outgoing connection may go: a host by name, or a network (an address is one of a single member). */
export type Destination = {
  port: number | undefined;
} & ({ host: string } | { network: BlockList });

/** `localhost`, `10.0.0.0/8`, `host:11434`, `[::1]:443`, `::1`. Throws an Error for anything else. */
export function parseDestination(text: string): Destination {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  const [, inBrackets, portOfBrackets] = bracketed ?? [];
  if (inBrackets !== undefined) {
    if (isIP(inBrackets) !== 6) throw new Error('is no IPv6 address');
    return { network: networkOf(inBrackets), port: parsePort(portOfBrackets) };
  }
  if (text.includes('/') || isIP(text) !== 0) return { network: networkOf(text), port: undefined };
  const [, name = '', portOfName] = /^([^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const port = parsePort(portOfName);
  if (isIP(name) !== 0) return { network: networkOf(name), port };
  const host = canonicalHost(name);
  // Names that are addresses in another spelling would say one thing and mean another.
  if (host === undefined || isIP(host) !== 0) throw new Error('is no host');
  return { host, port };
}

/** A host as URLs have it: lower case, IDNs in their ASCII form, without a final dot; undefined where it can be none. */
export function canonicalHost(name: string): string | undefined {
  if (!/^[^\s/?#@\\:[\]%]+$/.test(name) || !URL.canParse(`http://${name}/`)) return undefined;
  return new URL(`http://${name}/`).hostname.replace(/\.$/, '');
}

function networkOf(text: string): BlockList {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length <= bits);
  if (version === 0 || address.includes('%') || !isPrefix || rest.length > 0) throw new Error('is no network');
  const network = new BlockList();
  network.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  return network;
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (port < 1 || port > 65_535) throw new Error('is no port');
  return port;
}
