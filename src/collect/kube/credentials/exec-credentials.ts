import type { ChildProcess } from 'node:child_process';
import { createSecureContext } from 'node:tls';
import type { Environment } from '../../../basics/environment.ts';
import { limits } from '../../../basics/limits.ts';
import { listed } from '../../../phrases/lists.ts';
import {
  ConnectionProblem,
  type ExecCluster,
  type ExecConfig,
  type KeyPair,
} from '../kubeconfig/connection.ts';
import { fieldsAt, type KubeconfigFields, kubeconfigFields, textAt } from '../kubeconfig/fields.ts';
import { bearer, type Credential, type Credentials, silent } from './credential.ts';
import { maskSecrets } from './mask-secrets.ts';

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** KUBERNETES_EXEC_INFO, and whether the plugin may prompt. Throws ConnectionProblem if it cannot run. */
export function pluginInput(
  exec: ExecConfig,
  cluster: ExecCluster,
  isTerminal: boolean = process.stdin.isTTY === true,
): { interactive: boolean; execInfo: string } {
  if (exec.command === undefined)
    throw new ConnectionProblem(
      'an exec credential plugin has no command',
      'Add command to exec in the kubeconfig.',
    );
  if (!versions.includes(exec.apiVersion ?? ''))
    throw pluginProblem(
      exec,
      `is configured with apiVersion ${exec.apiVersion ?? '(none)'}, which is no longer supported`,
      `Write the kubeconfig again with the plugin's own tool (${listed(versions, { word: 'or' })}).`,
    );
  if (exec.env.some(({ name }) => name === ''))
    throw pluginProblem(exec, 'has an env entry without a name', 'Correct exec.env in the kubeconfig.');
  const interactive = isInteractive(exec, isTerminal);
  const spec = { ...(exec.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}), interactive };
  return {
    interactive,
    execInfo: JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, spec }),
  };
}

function isInteractive(exec: ExecConfig, isTerminal: boolean): boolean {
  switch (exec.interactiveMode) {
    case 'Never':
      return false;
    case 'IfAvailable':
      return isTerminal;
    case 'Always':
      if (isTerminal) return true;
      throw pluginProblem(
        exec,
        'prompts for input, and standard input is not a terminal',
        'Run the command in a terminal, or use credentials that do not prompt.',
      );
    default:
      throw pluginProblem(
        exec,
        `has ${exec.interactiveMode === undefined ? 'no' : 'an unknown'} interactiveMode`,
        'Set exec.interactiveMode in the kubeconfig to Never, IfAvailable or Always.',
      );
  }
}

/** Source: client-go/pkg/apis/clientauthentication/v1/types.go, Cluster. */
function clusterInfo(cluster: ExecCluster): Readonly<Record<string, unknown>> {
  const authority = cluster.certificateAuthority;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
    'certificate-authority-data':
      authority === undefined ? undefined : Buffer.from(authority, 'utf8').toString('base64'),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression || undefined,
    config: cluster.config ?? null,
  };
}

/**
 * Runs the plugin and returns its standard output. Its standard error is written to the terminal, if there is
 * one (it may contain sign-in instructions), else into the error.
 */
async function runPlugin(
  exec: ExecConfig,
  { interactive, execInfo }: { interactive: boolean; execInfo: string },
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { spawn } = await import('node:child_process');
  const child = spawn(exec.command ?? '', [...exec.args], {
    env: {
      ...env,
      ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: execInfo,
    },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', process.stderr.isTTY ? 'inherit' : 'pipe'],
    windowsHide: true,
    ...(signal ? { signal } : {}),
  });
  const output = collect(child, 'stdout');
  const complaints = collect(child, 'stderr');
  const [code, killedBy] = await ended(child, exec, signal);
  if (code === 0) return output();
  const errorText = maskSecrets(complaints().trim()).slice(-1000);
  throw pluginProblem(
    exec,
    `failed with ${code === null ? `signal ${killedBy}` : `exit code ${code}`}${errorText === '' ? '' : `: ${errorText}`}`,
    'Run it in a shell to see why; most need a new login.',
  );
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child[name]?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.credentials) child.kill();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function ended(
  child: ChildProcess,
  exec: ExecConfig,
  signal: AbortSignal | undefined,
): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, killedBy) => resolve([code, killedBy]));
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (signal?.aborted) reject(signal.reason);
      else reject(notStarted(exec, error.code ?? 'unknown error'));
    });
  });
}

function notStarted(exec: ExecConfig, code: string): ConnectionProblem {
  const hint = exec.installHint?.replace(/[^\P{C}\n\t]/gu, '').trim();
  const why = { ENOENT: 'was not found', EACCES: 'is not executable' }[code] ?? `: ${code}`;
  return pluginProblem(
    exec,
    why,
    hint || 'Install it, or correct exec.command in the kubeconfig; a bare name is looked up on PATH.',
  );
}

/** Builds the errors about a plugin, which all name it in the same way. */
function pluginProblem(exec: ExecConfig, what: string, advice: string): ConnectionProblem {
  return new ConnectionProblem(`the credential plugin ${exec.command} ${what}`, advice);
}

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

function parseAnswer(output: string, exec: ExecConfig): KubeconfigFields {
  try {
    return kubeconfigFields(JSON.parse(output), `the credential plugin ${exec.command} returned:`);
  } catch (error) {
    if (error instanceof ConnectionProblem) throw error;
    // The parser's message quotes the text, and the text contains the credential.
    throw pluginProblem(exec, 'did not return JSON', 'Run it in a shell to see what it prints.');
  }
}

function parseKeyPair(status: KubeconfigFields, exec: ExecConfig): KeyPair | undefined {
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
