// Finds IP addresses. Four numbers with dots between them are more often a version, a section or an object identifier:
// those that could be one only count next to something that indicates an address.
import { inAllForms } from './character-forms.ts';
import type { Masker } from './masker.ts';

const ipv4 = /(?<![\w.]|[a-z]-)(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d|[-+~][\d.]{0,20}[a-z~+])/gi;
/** Words before four numbers that are a version or a section. */
const versionWord =
  /(?:(?:(?<!-)\bv|\b(?:ver|versions?|release|rev|revision|build|kernel|linux|firmware|driver|sections?|sec|chapters?|clause|appendix|figure|table|as of|since))[.:]?|section-number">|§|版本|章节|第)\s*$/i;
const ipv6 =
  /(?<![\w:.])(?:(?:[\da-f]{1,4}:){1,7}(?::(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,5})?|[\da-f]{1,4})|::(?:[\da-f]{1,4}:){0,5}[\da-f]{1,4})(?::?(?<=:)(?:\d{1,3}\.){3}\d{1,3}|(?:(?<=:[\da-f]{1,3})(?:\.\d{1,3}){3}))?(?:%\w{1,15})?(?![\w:]|\.\d)/gi;

/** Words before an address, with the characters that may separate them. */
const addressBefore =
  /(?:(?<![a-z])(?:ip|ips|ipv4|ip4|ipaddr\w{0,6}|addr|address|addresses|hosts?|hostname|server|client|peer|gateway|gw|router|dns|nameserver|resolver|proxy|ping|ssh|telnet|curl|wget|nc|dig|nslookup|traceroute|dst|src|remote|local|listen|bind|subnet|network|netmask|mask|route|inet|allow|deny|ban|unban|relay|rhost)["']?\s{0,2}(?:[:=]|is|from|to|on|of)?\s{0,2}|:\/\/|\w@|[\w.\]]\[|\bIN\s{1,10}A\s{1,10}|(?<![a-z])ip(?:v4)?[a-z]{0,12}\(|(?:地址|服务器|伺服器|主机|主機|网关)[：:]?\s?)["'([<]?$/i;
/** After an address: a port, a prefix length, a range, an access log. */
const addressAfter =
  /^(?::\d{1,5}(?![\d.])|\/(?:[89]|[12]\d|3[0-2])(?![\w.])|\/\d{1,3}\.\d|["'\])>]?[ ,]{0,2}port\b| - - \[|%\d|["'], ?\d| netmask)/i;
/** Networking words earlier in the line, unless the line is about versions. */
const networkWord =
  /\b(?:sshd|logins?|logged|refused|failed|failure|denied|rejected|banned|connect(?:ed|ion|ions|ing)?|disconnect(?:ed)?|pinged|tcp|udp|icmp|https?|firewall|iptables|dhcp|packets?|received|subnets?|hosts?|addresses)\b/i;
const releaseWord =
  /\b(?:versions?|release[ds]?|upgrad\w*|updat\w*|bump\w*|standards?|upstream|unstable|kernel|rfc|patch\w*|sections?)\b/i;

export const maskIpAddresses: Masker = inAllForms((text, replace) => {
  let masked = text;
  if (masked.includes(':')) masked = masked.replace(ipv6, (found) => (isIpv6(found) ? replace(found) : found));
  return masked.replace(ipv4, (found, at: number) =>
    isIpv4(found) && isAddressHere(masked, found, at) ? replace(found) : found,
  );
});

function isAddressHere(text: string, found: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 60), at);
  if (versionWord.test(before.slice(-24))) return false;
  if (!isVersionLike(found)) return true;
  if (addressBefore.test(before) || addressAfter.test(text.slice(at + found.length, at + found.length + 20)))
    return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return networkWord.test(line) && !releaseWord.test(line);
}

/**
 * Whether all four numbers are below 100, as in 2 % of addresses and almost all versions and sections. Well-known
 * networks and servers are excluded.
 */
function isVersionLike(address: string): boolean {
  return !/^10\.|^(?:0\.0\.0\.0|8\.8\.[48]\.[48]|9\.9\.9\.9)$/.test(address) && !/\d{3}/.test(address);
}

function isIpv4(text: string): boolean {
  return text.split('.').every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
}

/**
 * RFC 4291, section 2.2. Forms that also occur in code (`a::b`, `x[1::2]`, a hardware address of eight bytes) only
 * count if they begin like real addresses: with a group of three or four characters that contains a digit.
 */
function isIpv6(found: string): boolean {
  const [text = ''] = found.split('%');
  const dotted = /(?<=:)(?:\d{1,3}\.){3}\d{1,3}$/.exec(text)?.[0];
  if (dotted !== undefined && !isIpv4(dotted)) return false;
  const plain = dotted === undefined ? text : `${text.slice(0, -dotted.length)}0:0`;
  const halves = plain.split('::');
  const groups = plain.split(':').filter((group) => group !== '');
  if (halves.length > 2 || groups.some((group) => group.length > 4)) return false;
  if (halves.length === 1) return groups.length === 8 && groups.some(({ length }) => length !== 2);
  if (groups.length > 7) return false;
  if (dotted !== undefined) return true;
  const [first = ''] = groups;
  return !plain.startsWith('::') && first.length >= 3 && /\d/.test(plain) && (groups.length > 1 || /\d/.test(first));
}
