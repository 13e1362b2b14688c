/** A connection came to an end for which nobody here knows Go's words. */
export class NoWords extends Error {}

const alerts: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'protocol version not supported',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'certificate required',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'handshake failure',
};

/** Where a connection leads, as the API server writes it. */
export interface Leg {
  /** `address:port` of who is called. */
  readonly to: string;
  /** `address:port` of the caller. */
  readonly from: string;
}

/** What Go says where Node says this of a connection over TLS; throws {@link NoWords}. */
export function goWords(error: NodeJS.ErrnoException, { to, from }: Leg, notTls: string): string {
  const { code = '', syscall } = error;
  const alert = alerts[code];
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return notTls;
  if (code === 'ECONNRESET')
    return syscall === 'read' ? `read tcp ${from}->${to}: read: connection reset by peer` : 'EOF';
  throw new NoWords(`${code} ${error.message}`);
}
