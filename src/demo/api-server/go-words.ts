/** A connection came to an end for which nobody here knows Go's words. */
export class NoWords extends Error {}

/** crypto/tls alert.go, by number. */
const alerts: Readonly<Record<string, string>> = {
  '40': 'handshake failure',
  '70': 'protocol version not supported',
  '116': 'certificate required',
};

/** Where a connection leads, as the API server writes it. */
export interface Leg {
  /** `address:port` of who is called. */
  readonly to: string;
  /** `address:port` of the caller. */
  readonly from: string;
}

/**
 * What Go says where Node says this of a connection over TLS; throws {@link NoWords}.
 * @param notTls Go's words where what comes is no TLS: they depend on who shakes hands.
 */
export function goWords(error: NodeJS.ErrnoException, { to, from }: Leg, notTls: string): string {
  const { code = '', message, syscall } = error;
  const alert = alerts[/SSL alert number (\d+)/.exec(message)?.[1] ?? ''];
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  if (/:(wrong version number|packet length too long):/.test(message)) return notTls;
  if (code === 'ECONNRESET')
    return syscall === 'read' ? `read tcp ${from}->${to}: read: connection reset by peer` : 'EOF';
  throw new NoWords(`${code} ${message}`);
}
