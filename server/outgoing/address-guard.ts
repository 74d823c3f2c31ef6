import { BlockList, isIP } from 'node:net';
import { canonicalHost, type Destination } from '../kernel/destination.ts';
import { hostAndPort } from './host-and-port.ts';
import { OutgoingError } from './outgoing-error.ts';
import { outgoingSentences } from './sentences.ts';

/** Decides where connections may go. */
export type AddressGuard = {
  /**
   * The given addresses that may be connected to: those that an administrator allows, otherwise all if all are public;
   * throws OutgoingError `forbidden` if not.
   */
  allowedOf(target: Target, addresses: readonly string[]): string[];
  /** Whether an administrator has allowed this port of the target explicitly. */
  namesPort(target: Target): boolean;
};

/** `host` as the caller gave it: a name, or an address without brackets. */
export type Target = { host: string; port: number };

/**
 * Non-public IPv4 addresses (IANA's special-purpose registry): this network, private, carrier-grade NAT, loopback,
 * link-local with the clouds' metadata services, protocol assignments, documentation, 6to4 relays, benchmarks,
 * multicast, reserved; and the address of Azure's virtual machine services.
 */
const notPublic4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * The only public IPv6 range is global unicast: it excludes mapped, compatible, translated (NAT64), local and multicast
 * addresses.
 */
const global6 = subnets('ipv6', ['2000::/3']);
/** Non-public ranges within it: protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const notPublic6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether an address is on the public internet; false for anything that is not a plain address. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !notPublic4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Allows public addresses and those that an administrator allows. */
export function createAddressGuard(allowed: readonly Destination[]): AddressGuard {
  function isNamed(target: Target): boolean {
    const host = canonicalHost(target.host);
    return allowed.some(
      (each) => 'host' in each && each.host === host && (each.port === undefined || each.port === target.port),
    );
  }

  function isAddressAllowed(address: string, port: number): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    return allowed.some(
      (each) =>
        'network' in each &&
        (each.port === undefined || each.port === port) &&
        // A list of IPv4 networks also matches IPv6 addresses that embed one: these were not allowed.
        (version === 4 ? each.network.check(address, 'ipv4') : isIn6(each.network, address)),
    );
  }

  return {
    allowedOf(target, addresses) {
      const open = isNamed(target) ? [...addresses] : addresses.filter((each) => isAddressAllowed(each, target.port));
      if (open.length > 0) return open;
      const forbidden = addresses.find((each) => !isPublicAddress(each));
      if (forbidden === undefined && addresses.length > 0) return [...addresses];
      const where = forbidden === undefined || forbidden === target.host ? '' : ` (${forbidden})`;
      throw new OutgoingError(
        'forbidden',
        outgoingSentences.ADDRESS_FORBIDDEN.reason({ target: `${hostAndPort(target)}${where}` }),
        { sent: false },
      );
    },
    namesPort(target) {
      return allowed.some(
        (each) =>
          each.port === target.port &&
          ('host' in each ? each.host === canonicalHost(target.host) : isAddressAllowed(target.host, target.port)),
      );
    },
  };
}

function isIn6(network: BlockList, address: string): boolean {
  return network.check(address, 'ipv6') && !mapped.check(address, 'ipv6');
}

const mapped = subnets('ipv6', ['::ffff:0:0/96']);

function subnets(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
