/** A host and its port for messages; an IPv6 address is in brackets. */
export function hostAndPort({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
