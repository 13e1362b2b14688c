/** `host:port` as Go's net.JoinHostPort writes it: an address with a colon stands in brackets. */
export const hostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
