/** A case for Go and for the model. */
export interface CertificateCase {
  readonly name: string;
  /** DER, the server's first. */
  readonly presented: readonly Buffer[];
  /** Bytes of the bundle, not in base64. */
  readonly caBundle: Buffer;
  readonly host: string;
  readonly now: Date;
}

/** One line of verify.go's input. */
export const questionLine = ({ presented, caBundle, host, now }: CertificateCase): string =>
  JSON.stringify({
    presented: presented.map((der) => der.toString('base64')),
    caBundle: caBundle.toString('base64'),
    host,
    now: now.toISOString(),
  });
