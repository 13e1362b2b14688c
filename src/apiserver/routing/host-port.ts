/** `host:port` as Go's net.JoinHostPort formats it: an address with a colon is in brackets. */
export const hostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
