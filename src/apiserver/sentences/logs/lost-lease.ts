/** client-go tools/leaderelection/leaderelection.go: the error names no reason, only the requests before it do. */
const renewal = /failed to renew lease"? (?:(?:lock|lease)=")?(?<lease>[\w.-]+\/[\w.-]+)/i;
const noConnection = /(?:resource lock|leader election record).*(?:dial tcp|connection re|\bEOF\b)/i;

/**
 * The Lease `namespace/name` that a leader lost because the API server did not respond in time, by its log. Undefined
 * if it did not lose one, or had no connection to the API server.
 */
export function lostLease(log: string): string | undefined {
  const lines = log.split('\n');
  if (lines.some((line) => noConnection.test(line))) return undefined;
  return lines.map((line) => renewal.exec(line)?.groups?.lease).findLast((lease) => lease !== undefined);
}
