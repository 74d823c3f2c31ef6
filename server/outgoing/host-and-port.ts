/** A host and its port, for messages: an address of IPv6 stands in brackets. */
export function hostAndPort({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
