import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { parseDocument } from 'yaml';
import type { Environment } from '../../../basics/environment.ts';
import { largerThan, limits } from '../../../basics/limits.ts';
import { refuseLargeYaml } from '../../../basics/yaml-documents.ts';
import { ConnectionProblem, type ExecConfig } from './connection.ts';
import {
  fieldsAt,
  flagAt,
  type KubeconfigFields,
  kubeconfigFields,
  mapsAt,
  textAt,
  textsAt,
} from './fields.ts';
import { whyUnreadable } from './pem.ts';

/** One entry of `clusters`. Paths are absolute. */
export type KubeconfigCluster = Partial<ReturnType<typeof parseCluster>>;
/** One entry of `users`. Holds credentials: must not be logged or thrown. Paths are absolute. */
export type KubeconfigUser = Partial<ReturnType<typeof parseUser>>;
/** One entry of `contexts`. */
export type KubeconfigContext = Partial<ReturnType<typeof parseContext>>;

/** One kubeconfig file, or several merged ones. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext: string | undefined;
}

/** One kubeconfig, merged from all files. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** The requested files, whether they exist or not. */
  readonly files: readonly string[];
}

/**
 * Loads the file of `--kubeconfig` (it must exist), else the files of KUBECONFIG (missing files are skipped),
 * else ~/.kube/config. A file that exists but cannot be read or parsed is an error. Source:
 * client-go/tools/clientcmd/loader.go.
 */
export function loadKubeconfig(flag: string | undefined, env: Environment): LoadedKubeconfig {
  if (flag && !existsSync(flag))
    throw new ConnectionProblem(
      `the kubeconfig ${flag} does not exist`,
      'Check the path after --kubeconfig.',
    );
  const files = flag ? [flag] : filesOf(env);
  const texts = files.flatMap((file) => {
    const text = readIfPresent(file);
    return text === undefined ? [] : [parsedOnce(text, file)];
  });
  return { config: mergeKubeconfigs(texts), files };
}

const parsed = new Map<string, { readonly text: string; readonly config: Kubeconfig }>();

/** A run over forty contexts would otherwise parse the file forty times. */
function parsedOnce(text: string, file: string): Kubeconfig {
  const known = parsed.get(file);
  if (known?.text === text) return known.config;
  const config = parseKubeconfig(text, file);
  parsed.set(file, { text, config });
  return config;
}

function filesOf(env: Environment): readonly string[] {
  if (env.KUBECONFIG) return [...new Set(env.KUBECONFIG.split(delimiter))].filter((file) => file !== '');
  return [join(env.HOME ?? homedir(), '.kube', 'config')];
}

function readIfPresent(file: string): string | undefined {
  try {
    if (statSync(file).size <= limits.kubeconfig) return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConnectionProblem(
      `the kubeconfig ${file} cannot be read: ${whyUnreadable(error)}`,
      'Make the file readable, or name another one with --kubeconfig or KUBECONFIG.',
    );
  }
  throw new ConnectionProblem(`the kubeconfig ${file} ${largerThan(limits.kubeconfig)}`, anotherKubeconfig);
}

const anotherKubeconfig = 'Name another one with --kubeconfig or KUBECONFIG.';

/** Name of the cluster extension for credential plugins. */
const execExtension = 'client.authentication.k8s.io/exec';

/**
 * Parses one kubeconfig file and makes its relative paths absolute. Throws ConnectionProblem with file and
 * place, without quoting a value. Source: client-go/tools/clientcmd/api/v1/types.go.
 */
function parseKubeconfig(text: string, file: string): Kubeconfig {
  const root = kubeconfigFields(parseYaml(text, file), `${file}:`);
  const kind = textAt(root, 'kind') ?? 'Config';
  const apiVersion = textAt(root, 'apiVersion') ?? 'v1';
  if (kind !== 'Config' || apiVersion !== 'v1')
    throw new ConnectionProblem(
      `${file} is not a kubeconfig: it holds a ${kind} of apiVersion ${apiVersion}`,
      'Name a kubeconfig file (apiVersion: v1, kind: Config) with --kubeconfig or KUBECONFIG.',
    );
  const directory = dirname(resolve(file));
  return {
    clusters: named(root, 'clusters', 'cluster', (fields) => parseCluster(fields, directory)),
    users: named(root, 'users', 'user', (fields) => parseUser(fields, directory)),
    contexts: named(root, 'contexts', 'context', parseContext),
    currentContext: textAt(root, 'current-context'),
  };
}

function parseYaml(text: string, file: string): unknown {
  try {
    refuseLargeYaml(text);
  } catch {
    throw new ConnectionProblem(
      `the kubeconfig ${file} is larger than ${limits.yaml} parts of YAML`,
      anotherKubeconfig,
    );
  }
  const document = parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false,
    merge: true,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  // The parser's messages may quote the text, and the text may contain a token.
  if (error) {
    const line = text.slice(0, error.pos[0]).split('\n').length;
    throw notYaml(file, `line ${line} (${error.code.toLowerCase().replaceAll('_', ' ')})`);
  }
  try {
    return document.toJS();
  } catch {
    throw notYaml(file, 'an alias without its anchor, or too many of them');
  }
}

function notYaml(file: string, what: string): ConnectionProblem {
  return new ConnectionProblem(
    `${file} is not valid YAML: ${what}`,
    'Correct the file, or name another one with --kubeconfig.',
  );
}

function named<T>(
  root: KubeconfigFields,
  list: string,
  key: string,
  parse: (fields: KubeconfigFields) => T,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const entry of mapsAt(root, list)) {
    const name = textAt(entry, 'name') ?? '';
    if (entries.has(name))
      throw new ConnectionProblem(
        `${root.where} ${list} holds the name "${name}" twice`,
        'Remove or rename one of the two.',
      );
    entries.set(name, parse(fieldsAt(entry, key)));
  }
  return entries;
}

function parseCluster(fields: KubeconfigFields, directory: string) {
  const extension = mapsAt(fields, 'extensions').find((entry) => entry.values.name === execExtension);
  return {
    server: textAt(fields, 'server'),
    tlsServerName: textAt(fields, 'tls-server-name'),
    insecureSkipTlsVerify: flagAt(fields, 'insecure-skip-tls-verify'),
    certificateAuthority: pathAt(fields, 'certificate-authority', directory),
    /** Base64 of PEM. */
    certificateAuthorityData: textAt(fields, 'certificate-authority-data'),
    proxyUrl: textAt(fields, 'proxy-url'),
    disableCompression: flagAt(fields, 'disable-compression'),
    /** Passed to a credential plugin with `provideClusterInfo`. */
    execConfig: extension?.values.extension,
  };
}

function parseContext(fields: KubeconfigFields) {
  return {
    cluster: textAt(fields, 'cluster'),
    user: textAt(fields, 'user'),
    namespace: textAt(fields, 'namespace'),
  };
}

function parseUser(fields: KubeconfigFields, directory: string) {
  const extra = fieldsAt(fields, 'as-user-extra');
  const provider = fieldsAt(fields, 'auth-provider');
  return {
    token: textAt(fields, 'token'),
    tokenFile: pathAt(fields, 'tokenFile', directory),
    username: textAt(fields, 'username'),
    password: textAt(fields, 'password'),
    clientCertificate: pathAt(fields, 'client-certificate', directory),
    /** Base64 of PEM, like `clientKeyData`. */
    clientCertificateData: textAt(fields, 'client-certificate-data'),
    clientKey: pathAt(fields, 'client-key', directory),
    clientKeyData: textAt(fields, 'client-key-data'),
    as: textAt(fields, 'as'),
    asUid: textAt(fields, 'as-uid'),
    asGroups: textsAt(fields, 'as-groups'),
    asUserExtra: Object.fromEntries(Object.keys(extra.values).map((key) => [key, textsAt(extra, key)])),
    exec: fields.values.exec ? parseExec(fieldsAt(fields, 'exec'), directory) : undefined,
    /** The predecessor of `exec`. */
    authProvider: fields.values['auth-provider']
      ? { name: textAt(provider, 'name') ?? '', config: fieldsAt(provider, 'config').values }
      : undefined,
  };
}

function parseExec(fields: KubeconfigFields, directory: string): ExecConfig {
  const apiVersion = textAt(fields, 'apiVersion');
  const command = textAt(fields, 'command');
  return {
    apiVersion,
    // A command without a directory is searched for in PATH; one with a directory is relative to the
    // kubeconfig.
    command: command?.includes(sep) ? absolute(command, directory) : command,
    args: textsAt(fields, 'args'),
    env: mapsAt(fields, 'env').map((entry) => ({
      name: textAt(entry, 'name') ?? '',
      value: textAt(entry, 'value') ?? '',
    })),
    installHint: textAt(fields, 'installHint'),
    // Required in v1; v1beta1 has a default. Source: client-go/tools/clientcmd/api/v1/defaults.go.
    interactiveMode:
      textAt(fields, 'interactiveMode') ?? (apiVersion?.endsWith('/v1beta1') ? 'IfAvailable' : undefined),
    provideClusterInfo: flagAt(fields, 'provideClusterInfo'),
  };
}

function pathAt(fields: KubeconfigFields, key: string, directory: string): string | undefined {
  const path = textAt(fields, key);
  return path === undefined ? undefined : absolute(path, directory);
}

function absolute(path: string, directory: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

/**
 * Merges several files: the first file that defines a cluster, user or context provides all of its fields;
 * the first non-empty `current-context` is used. Source: client-go/tools/clientcmd/loader.go,
 * ClientConfigLoadingRules.Load.
 */
function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: firstWins(configs.map(({ clusters }) => clusters)),
    users: firstWins(configs.map(({ users }) => users)),
    contexts: firstWins(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
  };
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}
