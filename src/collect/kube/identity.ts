import { authProviderToken } from './auth-provider.ts';
import type { ExecCluster, Identity, KeyPair } from './connection.ts';
import { ConnectionProblem } from './connection-problem.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import { readPem } from './pem.ts';

/**
 * How a kubeconfig user proves who it is. A token wins over a plugin, as does a client certificate. Source:
 * client-go/plugin/pkg/client/auth/exec.
 */
export function identityOf(user: KubeconfigUser, name: string, cluster: ExecCluster): Identity {
  const { token, tokenFile, username, password, exec, authProvider } = user;
  const basic = username !== undefined || password !== undefined;
  if (basic && (token !== undefined || tokenFile !== undefined))
    throw new ConnectionProblem(
      `user "${name}" has both a token and a username or password`,
      'Leave one of the two in the kubeconfig; kubectl refuses the pair as well.',
    );
  if (exec && authProvider)
    throw new ConnectionProblem(
      `user "${name}" has both an auth-provider and an exec plugin`,
      'Remove the auth-provider from the kubeconfig.',
    );
  if (tokenFile !== undefined) return { kind: 'token-file', file: tokenFile };
  if (token !== undefined) return { kind: 'token', token };
  if (basic) return { kind: 'basic', username: username ?? '', password: password ?? '' };
  if (authProvider) return { kind: 'token', token: authProviderToken(authProvider, name, Date.now()) };
  const certificate = user.clientCertificate ?? user.clientCertificateData;
  return exec && certificate === undefined ? { kind: 'exec', exec, cluster } : { kind: 'anonymous' };
}

/** The client certificate of a kubeconfig user; undefined without one. */
export function keyPairOf(user: KubeconfigUser, name: string): KeyPair | undefined {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  const certificate = readPem(
    `client-certificate of user "${name}"`,
    clientCertificateData,
    clientCertificate,
  );
  if (certificate === undefined) return undefined;
  const key = readPem(`client-key of user "${name}"`, clientKeyData, clientKey);
  if (key !== undefined) return { certificate, key };
  throw new ConnectionProblem(
    `user "${name}" has a client-certificate without a client-key`,
    'Add client-key or client-key-data to the kubeconfig, or give --client-key.',
  );
}
