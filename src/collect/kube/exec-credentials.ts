import { createSecureContext } from 'node:tls';
import { ConnectionProblem, type ExecCluster, type KeyPair } from './connection.ts';
import { bearer, type Credential, type Credentials, silent } from './credential.ts';
import { pluginInput, pluginProblem, runPlugin } from './exec-plugin.ts';
import { type Fields, fieldsAt, fieldsOf, textAt } from './fields.ts';
import type { Environment } from './kube-flags.ts';
import type { ExecConfig } from './kubeconfig.ts';

interface Issued {
  readonly credential: Credential;
  /** Milliseconds since 1970; undefined: valid until the process ends. */
  readonly expires: number | undefined;
}

/**
 * Credentials from a credential plugin. It is run once for concurrent requests, and again when the
 * credentials expire or are refused. Source: client-go/plugin/pkg/client/auth/exec/exec.go.
 */
export function execCredentials(
  exec: ExecConfig,
  cluster: ExecCluster,
  env: Environment,
  signal: AbortSignal | undefined,
): Credentials {
  let last: Issued | undefined;
  let running: Promise<Issued> | undefined;

  const issue = (): Promise<Issued> => {
    running ??= runPlugin(exec, pluginInput(exec, cluster), env, signal)
      .then((output) => {
        last = parseIssued(output, exec);
        return last;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    async current() {
      const valid = last && (last.expires === undefined || Date.now() <= last.expires);
      return (valid && last ? last : await issue()).credential;
    },
    async renew(refused) {
      if (last?.credential === refused) await issue();
      return true;
    },
  };
}

function parseIssued(output: string, exec: ExecConfig): Issued {
  const answer = parseAnswer(output, exec);
  const apiVersion = textAt(answer, 'apiVersion');
  if (textAt(answer, 'kind') !== 'ExecCredential' || apiVersion !== exec.apiVersion)
    throw pluginProblem(
      exec,
      `returned no ExecCredential of ${exec.apiVersion}`,
      'Set the same apiVersion in the plugin and the kubeconfig.',
    );
  const status = fieldsAt(answer, 'status');
  const token = textAt(status, 'token');
  const clientCertificate = parseKeyPair(status, exec);
  if (token === undefined && clientCertificate === undefined)
    throw pluginProblem(
      exec,
      'returned neither a token nor a certificate',
      'Sign in again with its own tool.',
    );
  const expires = Date.parse(textAt(status, 'expirationTimestamp') ?? '');
  return {
    credential: token === undefined ? silent(clientCertificate) : bearer(token, clientCertificate),
    expires: Number.isNaN(expires) ? undefined : expires,
  };
}

function parseAnswer(output: string, exec: ExecConfig): Fields {
  try {
    return fieldsOf(JSON.parse(output), `the credential plugin ${exec.command} returned:`);
  } catch (error) {
    if (error instanceof ConnectionProblem) throw error;
    // The parser's message quotes the text, and the text contains the credential.
    throw pluginProblem(exec, 'did not return JSON', 'Run it in a shell to see what it prints.');
  }
}

function parseKeyPair(status: Fields, exec: ExecConfig): KeyPair | undefined {
  const certificate = textAt(status, 'clientCertificateData');
  const key = textAt(status, 'clientKeyData');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined && fits(certificate, key)) return { certificate, key };
  throw pluginProblem(
    exec,
    'returned a certificate and a key that do not match',
    'Sign in again with its own tool.',
  );
}

function fits(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
}
