/** client-go tools/leaderelection/leaderelection.go: the error names no reason, only the requests before it do. */
const renewal = /failed to renew lease"? (?:(?:lock|lease)=")?(?<lease>[\w.-]+\/[\w.-]+)/i;
const request =
  /error (?:retrieving|initially creating) (?:(?:resource|lease) lock|leader election record)|failed to update (?:lock|lease)(?! optimistically)/i;
const timedOut = /deadline exceeded|timeout|timed out|unable to return a response/i;
const noConnection = /dial tcp|connection re/;

/** True for a request about the lock that failed for another reason than a slow API server: no permission, no connection. */
const failedOtherwise = (line: string): boolean =>
  request.test(line) && (!timedOut.test(line) || noConnection.test(line));

/**
 * The Lease `namespace/name` that a leader lost because the API server did not respond in time, by its log. Undefined
 * if it did not lose one, or if its requests failed for another reason.
 */
export function lostLease(log: string): string | undefined {
  const lines = log.split('\n');
  if (lines.some(failedOtherwise)) return undefined;
  return lines.map((line) => renewal.exec(line)?.groups?.lease).findLast((lease) => lease !== undefined);
}
