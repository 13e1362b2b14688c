import { Flags } from '@oclif/core';
import type { Observe } from '../collect/kube/http/observation.ts';
import type { KubeFlags } from '../collect/kube/kubeconfig/kube-flags.ts';
import { shellWord } from '../phrases/advice.ts';
import { harmless } from '../render/text/harmless.ts';
import { timeout } from './flags.ts';

/** Prints `GET /api/v1/services 200 12 ms 340 B` to stderr per request, for `-v 6`. No credentials. */
export function requestLog(verbosity: number): Observe | undefined {
  if (verbosity < 6) return undefined;
  return ({ method, path, status, bytes, milliseconds }) => {
    const outcome = status ?? 'no response';
    process.stderr.write(
      `${method} ${harmless(path)} ${outcome} ${Math.round(milliseconds)} ms ${bytes} B\n`,
    );
  };
}

const kubectl = 'KUBECTL';

const text = (helpValue: string, description: string) =>
  Flags.string({ helpGroup: kubectl, helpValue, description });
const yesOrNo = (description: string) => Flags.boolean({ helpGroup: kubectl, allowNo: true, description });

/** Wrappers add these flags to every plugin; they have no effect here. */
const withoutEffect = {
  'cache-dir': text('FOLDER', 'accepted and ignored: nothing is cached'),
  'disable-compression': yesOrNo('accepted and ignored: responses may come compressed'),
  'match-server-version': yesOrNo('accepted and ignored: any server version is read'),
  'warnings-as-errors': yesOrNo('accepted and ignored: warnings of the API server are not shown'),
  kuberc: text('FILE', 'accepted and ignored: there are no preferences'),
  'log-flush-frequency': text('DURATION', 'accepted and ignored: nothing is buffered'),
  profile: text('TEXT', 'accepted and ignored: nothing is profiled'),
  'profile-output': text('FILE', 'accepted and ignored: nothing is profiled'),
  vmodule: text('LEVEL', 'accepted and ignored: -v is the only log level'),
} as const;

/** kubectl's connection flags, with the same names and meaning. */
export const kubeFlags = {
  kubeconfig: text('FILE', 'path of the kubeconfig file to use'),
  context: text('NAME', 'kubeconfig context to use'),
  cluster: text('NAME', 'kubeconfig cluster to use'),
  user: text('NAME', 'kubeconfig user to use'),
  namespace: Flags.string({
    helpGroup: kubectl,
    char: 'n',
    helpValue: 'NAME',
    description: 'namespace of this request (rarely needed: webhooks are cluster-scoped)',
  }),
  server: Flags.string({
    helpGroup: kubectl,
    char: 's',
    helpValue: 'URL',
    description: 'address of the API server',
  }),
  token: text('TOKEN', 'bearer token for the API server'),
  as: text('USER', 'user to impersonate'),
  'as-group': Flags.string({
    helpGroup: kubectl,
    helpValue: 'GROUP',
    multiple: true,
    multipleNonGreedy: true,
    description: 'group to impersonate, may be repeated',
  }),
  'as-uid': text('UID', 'UID to impersonate'),
  'as-user-extra': Flags.string({
    helpGroup: kubectl,
    helpValue: 'KEY=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    description: 'extra value of the user to impersonate, may be repeated',
  }),
  username: text('NAME', 'user name for basic authentication'),
  password: text('PASSWORD', 'password for basic authentication'),
  'certificate-authority': text('FILE', 'certificate authority of the API server'),
  'client-certificate': text('FILE', 'client certificate for TLS'),
  'client-key': text('FILE', 'client key for TLS'),
  'tls-server-name': text('NAME', 'name to check the API server certificate against'),
  'insecure-skip-tls-verify': yesOrNo('do not verify the API server certificate'),
  'request-timeout': text('DURATION', 'time limit of one request (1s, 2m); 0: no limit'),
  ...withoutEffect,
  v: Flags.integer({
    char: 'v',
    helpGroup: kubectl,
    helpValue: 'LEVEL',
    min: 0,
    max: 10,
    default: 0,
    description: 'log verbosity: 6 prints each request to stderr',
  }),
} as const;

/** Flags of commands that read a cluster, or a snapshot of one. */
export const readingFlags = {
  timeout,
  'from-snapshot': Flags.string({
    helpValue: 'FILE',
    description: 'read this file of "kubectl webhook snapshot" instead of a cluster; - for standard input',
  }),
  ...kubeFlags,
} as const;

/** Flags that select one cluster and the connection to it. */
const ofOneCluster = [
  'context',
  'cluster',
  'server',
  'token',
  'username',
  'password',
  'client-certificate',
  'client-key',
  'certificate-authority',
  'tls-server-name',
  'from-snapshot',
  'watch',
];

/** Flags of commands that can run for several clusters. */
export const clustersFlags = {
  contexts: Flags.string({
    helpValue: 'CONTEXTS',
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    exclusive: [...ofOneCluster, 'all-contexts'],
    description: 'every kubeconfig context of this list; * stands for any text',
  }),
  'all-contexts': Flags.boolean({
    exclusive: ofOneCluster,
    description: 'every context of the kubeconfig',
  }),
} as const;

/** The contexts of these flags; undefined for a run with one cluster. */
export const contextsOf = (flags: {
  readonly contexts?: readonly string[] | undefined;
  readonly 'all-contexts'?: boolean;
}): readonly string[] | undefined => (flags['all-contexts'] === true ? ['*'] : flags.contexts);

type ConnectionFlags = KubeFlags & { readonly v: number; readonly 'from-snapshot'?: string | undefined };

/**
 * Connection options from the flags. The time limit is in milliseconds for the complete run, from the start
 * of the process on, unless interrupted.
 */
export const clusterOptions = (flags: ConnectionFlags, milliseconds: number, interrupted?: AbortSignal) => ({
  flags,
  sameCluster: sameClusterFlags({ ...flags }),
  milliseconds: Math.max(milliseconds - performance.now(), 1),
  snapshot: flags['from-snapshot'],
  observe: requestLog(flags.v),
  interrupted,
});

/** Flags that must not be printed in a suggested command. */
const secret: ReadonlySet<string> = new Set(['token', 'password']);
/** Flags that do not select the cluster. */
const notAboutTheCluster: ReadonlySet<string> = new Set([
  'namespace',
  'request-timeout',
  'v',
  ...Object.keys(withoutEffect),
]);

/**
 * The connection flags of this run, for a suggested command: it must use the same cluster. A leading space before each;
 * empty if only the kubeconfig decides. Without tokens and passwords.
 *
 * @param context of the examined cluster, if there are several.
 */
export function sameClusterFlags(flags: Readonly<Record<string, unknown>>, context = flags.context): string {
  return Object.keys(kubeFlags)
    .filter((name) => !secret.has(name) && !notAboutTheCluster.has(name))
    .flatMap((name) => {
      const value = name === 'context' ? context : flags[name];
      if (value === undefined || value === false) return [];
      if (value === true) return [` --${name}`];
      return [value].flat().map((one) => ` --${name} ${shellWord(String(one))}`);
    })
    .join('');
}

/** A command of this plugin for the cluster of a context, with the connection flags of this run. */
export const commandFor = (
  command: string,
  words: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: string,
): string =>
  `${['kubectl webhook', command, ...words.map(shellWord)].join(' ')}${sameClusterFlags(flags, context)}`;

/** A line per flag with its description, as `kubectl options` prints them. */
export const kubeFlagLines = (): string =>
  Object.entries(kubeFlags)
    .map(([name, flag]) => {
      const value = 'helpValue' in flag && flag.helpValue !== undefined ? ` ${flag.helpValue}` : '';
      const long = name.length > 1 ? `--${name}${value}` : `-${name}${value}`;
      return `  ${long.padEnd(32)} ${flag.description}\n`;
    })
    .join('');
