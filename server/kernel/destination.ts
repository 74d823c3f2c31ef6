import { BlockList, isIP } from 'node:net';

/** An allowed destination of outgoing connections: a host name, or a network (an address is a network of one). */
export type Destination = {
  port: number | undefined;
} & ({ host: string } | { network: BlockList });

/** Parses `localhost`, `10.0.0.0/8`, `host:11434`, `[::1]:443` or `::1`. Throws an Error for anything else, wildcards included. */
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
  // Other spellings of addresses would look like host names.
  if (host === undefined || isIP(host) !== 0 || !/^[a-z0-9._-]+$/.test(host)) throw new Error('is no host');
  return { host, port };
}

/** A host in the form of URLs: lower case, IDNs as ASCII, no final dot; undefined if it is not a host. */
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
