import { isJsonObject, parsedJson } from '../../../basics/collections.ts';
import { headerText } from '../credentials/credential.ts';
import { ConnectionProblem, type ExecCluster, type Identity, type KeyPair } from './connection.ts';
import type { KubeconfigUser } from './kubeconfig-file.ts';
import { readKubeconfigPem } from './pem.ts';

/**
 * Selects how a kubeconfig user authenticates. A token or a client certificate has precedence over a plugin.
 * Source: client-go/plugin/pkg/client/auth/exec.
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
  const certificate = readKubeconfigPem(
    `client-certificate of user "${name}"`,
    clientCertificateData,
    clientCertificate,
  );
  if (certificate === undefined) return undefined;
  const key = readKubeconfigPem(`client-key of user "${name}"`, clientKeyData, clientKey);
  if (key !== undefined) return { certificate, key };
  throw new ConnectionProblem(
    `user "${name}" has a client-certificate without a client-key`,
    'Add client-key or client-key-data to the kubeconfig, or give --client-key.',
  );
}

const replacements: Readonly<Record<string, string>> = {
  gcp: 'Install gke-gcloud-auth-plugin and run: gcloud container clusters get-credentials CLUSTER',
  azure: 'Install kubelogin and run: kubelogin convert-kubeconfig',
};

/**
 * The token of an `auth-provider` entry. kubectl supports only `oidc`; its token is used until it expires,
 * and kubectl itself renews it. Source: client-go/plugin/pkg/client/auth.
 */
function authProviderToken(
  provider: NonNullable<KubeconfigUser['authProvider']>,
  user: string,
  now: number,
): string {
  const token = provider.config['id-token'];
  if (provider.name !== 'oidc')
    throw new ConnectionProblem(
      `user "${user}" signs in with the auth-provider "${provider.name}", which kubectl no longer supports`,
      replacements[provider.name] ?? 'Replace it in the kubeconfig with an exec credential plugin.',
    );
  if (typeof token === 'string' && expiresAt(token) > now) return token;
  throw new ConnectionProblem(
    `the OIDC token of user "${user}" is missing or has expired`,
    'Run any kubectl command, which renews it, or sign in again.',
  );
}

/** The expiry of a JWT in milliseconds since 1970; 0 if the text is not a JWT with an expiry. */
function expiresAt(jwt: string): number {
  const claims = parsedJson(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return isJsonObject(claims) ? Number(claims.exp) * 1000 || 0 : 0;
}

interface Impersonated {
  readonly user: string | undefined;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Headers of an impersonation (client-go/transport/round_trippers.go impersonatingRoundTripper). */
export function impersonationHeaders(as: Impersonated): Readonly<Record<string, string | readonly string[]>> {
  const extra = Object.entries(as.extra).filter(([, values]) => values.length > 0);
  if (as.user === undefined) {
    if (as.uid === undefined && as.groups.length === 0 && extra.length === 0) return {};
    throw new ConnectionProblem(
      'groups, a uid or extra values are impersonated without a user',
      'Add --as USER (in a kubeconfig: as).',
    );
  }
  return {
    'Impersonate-User': legal(as.user),
    ...(as.uid === undefined ? {} : { 'Impersonate-Uid': legal(as.uid) }),
    ...(as.groups.length === 0 ? {} : { 'Impersonate-Group': as.groups.map(legal) }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [`Impersonate-Extra-${headerNameSuffix(key)}`, values.map(legal)]),
    ),
  };
}

function legal(value: string): string {
  const text = headerText(value);
  if (text !== undefined) return text;
  throw new ConnectionProblem(
    'a name to impersonate holds a line break or another control character',
    'Correct --as, --as-group or --as-uid.',
  );
}

/**
 * Encodes a text as part of a header name: bytes that header names cannot contain are %-escaped. Source:
 * client-go/transport/round_trippers.go, headerKeyEscape.
 */
function headerNameSuffix(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (/[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
