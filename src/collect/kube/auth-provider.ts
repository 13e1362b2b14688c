import { ConnectionProblem } from './connection-problem.ts';
import type { AuthProviderConfig } from './kubeconfig.ts';

const replacements: Readonly<Record<string, string>> = {
  gcp: 'Install gke-gcloud-auth-plugin and run: gcloud container clusters get-credentials CLUSTER',
  azure: 'Install kubelogin and run: kubelogin convert-kubeconfig',
};

/**
 * The token of an `auth-provider` entry. Only `oidc` still works in kubectl; its token is used while it lives, kubectl
 * itself renews it. Source: client-go/plugin/pkg/client/auth.
 */
export function authProviderToken(provider: AuthProviderConfig, user: string, now: number): string {
  const token = provider.config['id-token'];
  if (provider.name !== 'oidc')
    throw new ConnectionProblem(
      `user "${user}" signs in with the auth-provider "${provider.name}", which kubectl no longer has`,
      replacements[provider.name] ?? 'Replace it in the kubeconfig by an exec credential plugin.',
    );
  if (typeof token === 'string' && expiresAt(token) > now) return token;
  throw new ConnectionProblem(
    `the OIDC token of user "${user}" is missing or has expired`,
    'Run any kubectl command, which renews it, or sign in again.',
  );
}

/** Milliseconds since 1970; 0 when the text is no JWT that says so. */
function expiresAt(jwt: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return Number((claims as { exp?: unknown }).exp) * 1000 || 0;
  } catch {
    return 0;
  }
}
