import type { Metadata } from './metadata.ts';

/** A field manager of an object's data, and when it wrote (managedFields). */
export interface DataWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly at?: string;
}

/**
 * core/v1 Secret or ConfigMap without secret values: its keys, and the certificates in it (PEM). Private keys
 * and all other values are removed when the response is parsed.
 */
export interface CertificateSecret {
  /** Annotations include only those of cert-manager and of OpenShift's service CA. */
  readonly metadata: Metadata;
  readonly type?: string;
  readonly keys: readonly string[];
  /** Data key → the PEM certificates in its value, without other content; no entry if there is none. */
  readonly certificates: Readonly<Record<string, string>>;
  /** Field managers that own data of it, the latest writer first. */
  readonly writers?: readonly DataWriter[];
}

/** True for the key of a PKCS #12 or Java key store, which is not parsed. */
export const isStore = (key: string): boolean => /\.(p12|pfx|jks|keystore|truststore)$|keystore/i.test(key);

/** True for a Secret that contains neither a certificate in PEM nor a key store. */
export const holdsNoCertificate = ({ keys, certificates }: CertificateSecret): boolean =>
  Object.keys(certificates).length === 0 && !keys.some(isStore);

/** True for the name of a file for a CA: `ca.crt`, `caCert.pem`, `cacert.pem`, `client-ca.pem`, `rootCA.pem`, `rootca.pem`. */
export const isNameOfAuthority = (file: string): boolean =>
  /(?:^|[^A-Za-z])(?:root)?(?:ca|CA|Ca)(?:certs?)?(?![a-z])|[a-z]C[Aa](?![a-z])/.test(file);
