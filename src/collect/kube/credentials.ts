import type { Connection } from './connection.ts';
import { bearer, type Credential, type Credentials, silent, userAndPassword } from './credential.ts';
import { execCredentials } from './exec-credentials.ts';
import type { Environment } from './kube-flags.ts';
import { tokenFileCredentials } from './token-file.ts';

/** The credentials that a connection's identity stands for. `signal` ends a plugin that still runs. */
export function credentialsOf(
  { identity, clientCertificate }: Connection,
  env: Environment,
  signal: AbortSignal | undefined,
): Credentials {
  switch (identity.kind) {
    case 'token-file':
      return tokenFileCredentials(identity.file, clientCertificate);
    case 'exec':
      return execCredentials(identity.exec, identity.cluster, env, signal);
    case 'token':
      return fixed(bearer(identity.token, clientCertificate));
    case 'basic':
      return fixed(userAndPassword(identity.username, identity.password, clientCertificate));
    case 'anonymous':
      return fixed(silent(clientCertificate));
  }
}

function fixed(credential: Credential): Credentials {
  return { current: async () => credential, renew: async () => false };
}
