import {
  exitReason,
  isInformation,
  lastLogLines,
  relevantLogLines,
} from '../apiserver/sentences/logs/log-lines.ts';
import { firstResult } from '../basics/collections.ts';
import { keyOf } from '../facts/object-ref.ts';
import { holdsNoCertificate } from '../facts/objects/certificate-secret.ts';
import type { Pod, PodSpec, Volume } from '../facts/objects/pod.ts';
import { isServed, resourceOfKind } from '../facts/served-resources.ts';
import type { Facts } from '../facts/snapshot.ts';
import { endedState } from '../facts/workloads/leaders.ts';
import { allContainers, configurationOf } from '../facts/workloads/pod-context.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { brief, messageOfLine } from '../phrases/brief.ts';
import { listed } from '../phrases/lists.ts';

type LogFacts = Pick<Facts, 'configurations' | 'logs' | 'pods' | 'served' | 'secrets' | 'takenAt'>;

/** A reason for which a process does not serve, by a line of its log that its objects do not contradict. */
export interface LoggedCause {
  readonly cause:
    | 'port'
    | 'limit'
    | 'architecture'
    | 'argument'
    | 'configuration'
    | 'variable'
    | 'kind'
    | 'definition'
    | 'registration'
    | 'removed'
    | 'unmounted'
    | 'elsewhere'
    | 'items'
    | 'absent'
    | 'unreadable'
    | 'readOnly'
    | 'token'
    | 'keyPair'
    | 'encrypted'
    | 'lock';
  /** The port, path, kind, Secret or Pod that the message names. */
  readonly what: string;
  /** A second value of the message: a version, a mount path, the state of a Pod. */
  readonly detail: string;
  /** The ConfigMap whose file the program rejects. */
  readonly configMap?: string;
}

type Reader = (line: string, pod: Pod, container: string, facts: LogFacts) => LoggedCause | undefined;

const found = (cause: LoggedCause['cause'], what = '', detail = ''): LoggedCause => ({ cause, what, detail });

/**
 * EACCES in the errors of Go's net package, of Node and of nginx; a process without privileges may not bind these
 * ports (ip(7)).
 */
const closedPort =
  /listen (?:tcp|udp)[46]? \S*?:(?<go>\d+): bind: permission denied|listen EACCES: permission denied \S*?:(?<node>\d+)|bind\(\) to \S*?:(?<nginx>\d+) failed \(13: /;
const firstFreePort = 1024;

const port: Reader = (line) => {
  const { go, node, nginx } = closedPort.exec(line)?.groups ?? {};
  const number = go ?? node ?? nginx;
  return number !== undefined && Number(number) < firstFreePort ? found('port', number) : undefined;
};

/** EMFILE of inotify_init: `fs.inotify.max_user_instances` of the node is reached (inotify(7)). */
const limit: Reader = (line) =>
  /too many open files|inotify_(?:init|add_watch)/.test(line) ? found('limit') : undefined;

const architecture: Reader = (line) => (/exec format error/.test(line) ? found('architecture') : undefined);

/** Errors about the command line, of Go's flag, pflag and cobra, of Python's argparse and of clap. */
const unknownArgument =
  /(?:unknown (?:shorthand )?flag:|flag provided but not defined|unrecognized (?:arguments|option)|unknown command "[^"]*" for |unexpected argument ')/i;
/**
 * Errors about a field of a configuration file: of apimachinery's strict decoders, of its `field.Error`, of go-yaml and of
 * mapstructure.
 */
const wrongField =
  /strict decoding error: unknown field|(?:load|read|pars|validat)\w* (?:the |its )?config\w*\b.{0,200}?(?:Unsupported|Invalid|Required|Duplicate) value|\bfield \S+ (?:not found in|already set in) type |\bhas invalid keys: /i;
/** Errors of encoding/json and go-yaml, which programs also get for other texts than their configuration. */
const wrongSyntax =
  /\b(?:json|yaml): (?:unknown field|cannot unmarshal|unmarshal errors|line \d+: |control characters|(?:did|could) not find expected |mapping values are not allowed|found |unknown anchor)|\binvalid character '.{1,6}' (?:looking for|after|in) /i;
const ofConfiguration = /(?<!webhook|kube)config(?!map)|\.(?:ya?ml|json|toml)\b/i;

/** From the error itself on, without what a structured log line has after it. */
const errorAt = (text: string, at: number): string => {
  const [error = ''] = text
    .slice(at)
    .replaceAll(/\\+"/g, '"')
    .split(/", ?"[\w.-]+":/);
  return brief(error.replace(/"\}+$/, ''));
};

const argument: Reader = (line) => {
  const text = messageOfLine(line);
  const at = unknownArgument.exec(text)?.index;
  return at === undefined ? undefined : found('argument', errorAt(text, at));
};

/** An error in a configuration file, with the ConfigMap that provides the file, if one does. */
const configuration: Reader = (line, pod, container) => {
  const text = messageOfLine(line);
  const at = (wrongField.exec(text) ?? (ofConfiguration.test(line) ? wrongSyntax.exec(text) : null))?.index;
  if (at === undefined || isInformation(line)) return undefined;
  const error = errorAt(text, at);
  const { configMap, key } = configurationOf(pod, container, text) ?? {};
  if (configMap === undefined) return found('argument', error);
  const source = key === undefined ? `ConfigMap ${configMap}` : `${key} of ConfigMap ${configMap}`;
  return { ...found('configuration', error, source), configMap };
};

/**
 * The address of a Service, which the kubelet sets in each container as `NAME_PORT` (enableServiceLinks), read as a
 * number.
 */
const serviceVariable =
  /(?:\\*"(?<name>[A-Z][A-Z0-9_]*_PORT)\\*".{0,80})?parsing \\*"(?<address>tcp:\/\/[^\s"\\]+)\\*": invalid syntax/;

const variable: Reader = (line) => {
  const { name = 'a variable', address } = serviceVariable.exec(line)?.groups ?? {};
  return address === undefined ? undefined : found('variable', name, address);
};

const missingKind = /no matches for kind \\*"?(?<kind>\w+)\\*"? in version \\*"?(?<version>[\w./-]+)/;

/** A kind that discovery does not list now either. */
const kind: Reader = (line, _pod, _container, { served }) => {
  const { kind: name, version } = missingKind.exec(line)?.groups ?? {};
  const known = served.getIfKnown('served');
  if (name === undefined || version === undefined || known === undefined || known.stale.includes(version))
    return undefined;
  // A program that can do without the kind continues.
  if (isInformation(line)) return undefined;
  return resourceOfKind({ apiVersion: version, kind: name }, known) === undefined
    ? found('kind', name, version)
    : undefined;
};

/** An informer of client-go (tools/cache/reflector.go) whose list gets 404. */
const missingList =
  /failed to list \*\w+\.(?<type>\w+): the server could not find the requested resource \(get (?<plural>[\w-]+)\.(?<group>[\w.-]+)\)/;
/** Go types without a kind. */
const ofAnyKind = ['Unstructured', 'PartialObjectMetadata'];

/** A kind that an informer waits for, and discovery does not list now either. */
const list: Reader = (line, _pod, _container, { served }) => {
  const { type, plural, group } = missingList.exec(line)?.groups ?? {};
  const known = served.getIfKnown('served');
  if (type === undefined || plural === undefined || group === undefined || known === undefined)
    return undefined;
  if (known.stale.some((version) => version.startsWith(`${group}/`))) return undefined;
  if (isServed({ served }, { group, plural })) return undefined;
  return found('kind', ofAnyKind.includes(type) ? plural : type, group);
};

/** The API server's NotFound error for a CustomResourceDefinition that a program looks up when it starts. */
const missingDefinition =
  /customresourcedefinitions?\.apiextensions\.k8s\.io \\*"(?<plural>[\w-]+)\.(?<group>[\w.-]+?)\\*" not found/;

const definition: Reader = (line, _pod, _container, { served }) => {
  const { plural, group } = missingDefinition.exec(line)?.groups ?? {};
  if (plural === undefined || group === undefined || !served.known('served') || isInformation(line))
    return undefined;
  return isServed({ served }, { group, plural }) ? undefined : found('definition', `${plural}.${group}`);
};

/** The API server's NotFound error for a webhook configuration: a program looks it up to write its caBundle, or to find another product. */
const missingRegistration =
  /\b(?<kind>mutating|validating)webhookconfigurations?(?:\.admissionregistration\.k8s\.io)? \\*"(?<name>[a-z0-9][\w.:-]*)\\*" not found/i;

/** A webhook configuration that does not exist now either, without which the program exits. */
const registration: Reader = (line, pod, container, facts) => {
  const { kind = '', name } = missingRegistration.exec(line)?.groups ?? {};
  const existing = facts.configurations.getIfKnown(kind.toLowerCase());
  if (name === undefined || existing === undefined || existing.includes(name)) return undefined;
  // A program may continue after this error, and exit because of another one.
  if (exitReason(logOf(pod, container, facts))?.trim() !== line.trim()) return undefined;
  return found(
    'registration',
    `${kind.startsWith('m') ? 'Mutating' : 'Validating'}WebhookConfiguration`,
    name,
  );
};

/** Objects in errors of clients that use v1beta1 of their API, which Kubernetes 1.22 removed: they get 404. */
const removedApi =
  /(?:(?<webhooks>(?:Mutating|Validating)WebhookConfiguration)|certificate signing request)\b/;

const removed: Reader = (line) => {
  const before = line.slice(
    0,
    Math.max(0, line.lastIndexOf('the server could not find the requested resource')),
  );
  const { groups } = removedApi.exec(before) ?? {};
  if (groups === undefined) return undefined;
  return found(
    'removed',
    `${groups.webhooks === undefined ? 'certificates' : 'admissionregistration'}.k8s.io/v1beta1`,
  );
};

/** The errors of Go, and of Node and Python, for a certificate file that does not exist, or must not be read. */
const missingFile =
  /\b(?:open|stat) "?(?<go>\/[^\s":]+\.(?:crt|key|pem|cert))"?: no such file|no such file or directory(?:, \w+ |: )'(?<other>\/[^']+\.(?:crt|key|pem|cert))'/i;
const deniedFile =
  /\b(?:open|stat) "?(?<go>\/[^\s":]+)"?: permission denied|permission denied(?:, \w+ |: )'(?<other>\/[^']+)'/i;

const pathIn = (pattern: RegExp, line: string): string | undefined => {
  const { go, other } = pattern.exec(line)?.groups ?? {};
  return go ?? other;
};

interface Mounted {
  readonly mountPath: string;
  /** The name of the volume. */
  readonly volume: string;
  /** Undefined for a volume of another kind. */
  readonly secret: Volume['secret'];
}

/** The mount that provides a path in a container: the deepest one. Undefined if no volume does. */
export function mountOf(spec: PodSpec, name: string, path: string): Mounted | undefined {
  const [mount] = (allContainers({ spec }).find((one) => one.name === name)?.volumeMounts ?? [])
    .filter(({ mountPath }) => path === mountPath || path.startsWith(mountPath.replace(/\/*$/, '/')))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  if (mount === undefined) return undefined;
  const { secret } = spec.volumes?.find((one) => one.name === mount.name) ?? {};
  return { mountPath: mount.mountPath, volume: mount.name, secret };
}

/** A file that the Secret volume does not provide: it has other paths for its keys, or its Secret does not exist. */
function missingInSecret(
  path: string,
  { mountPath, secret }: Mounted,
  { metadata: { namespace } }: Pod,
  { secrets }: LogFacts,
): LoggedCause | undefined {
  if (secret === undefined) return undefined;
  const { secretName: name = '', items, optional } = secret;
  const provided = items?.map((item) => `${mountPath.replace(/\/*$/, '')}/${item.path}`);
  if (provided !== undefined && !provided.includes(path))
    return found('items', path, `Secret ${name} provides ${listed(provided)}`);
  const key = keyOf({ namespace, name });
  // A Pod does not start without a Secret that is not optional.
  return optional === true && secrets.isAbsent(key) ? found('absent', path, key) : undefined;
}

/** A file of a Secret volume that the user of the process must not read. */
const unreadable: Reader = (line, pod, name) => {
  const path = pathIn(deniedFile, line);
  const { secret } = (path === undefined ? undefined : mountOf(pod.spec, name, path)) ?? {};
  return path === undefined || secret === undefined
    ? undefined
    : found('unreadable', path, `Secret ${secret.secretName}`);
};

/** EROFS in the errors of Go, Node and Python. */
const readOnlyFile =
  /\b(?:open|mkdir|create|write) (?<go>\/[^\s":]+): read-only file system|read-only file system(?:, \w+ |: )'(?<other>\/[^']+)'/i;

/** A file that the process creates where its container may not write. */
const readOnly: Reader = (line, pod, name) => {
  const path = pathIn(readOnlyFile, line);
  if (path === undefined) return undefined;
  const mount = mountOf(pod.spec, name, path);
  const where =
    mount === undefined ? 'the root file system of its container' : `the volume at ${mount.mountPath}`;
  return found('readOnly', path, where);
};

const tokenFile =
  /\/var\/run\/secrets\/kubernetes\.io\/serviceaccount\/token\b.*no such file|no such file.*\/serviceaccount\/token\b/i;

/** The token of the ServiceAccount, which a client in a Pod needs; the API server adds its volume unless that is turned off. */
const token: Reader = (line, pod, name) =>
  tokenFile.test(line) &&
  mountOf(pod.spec, name, '/var/run/secrets/kubernetes.io/serviceaccount/token') === undefined
    ? found('token')
    : undefined;

/**
 * A certificate file that does not exist: in a directory that no volume provides, with the Secret that is mounted
 * elsewhere; or in the volume of a Secret that does not provide it.
 */
const file: Reader = (line, pod, name, facts) => {
  const { spec } = pod;
  const path = pathIn(missingFile, line);
  if (path === undefined) return undefined;
  const mounted = mountOf(spec, name, path);
  if (mounted !== undefined) return missingInSecret(path, mounted, pod, facts);
  const mounts = spec.containers.find((one) => one.name === name)?.volumeMounts ?? [];
  const secrets = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume.secret?.secretName]));
  const other = mounts.find((mount) => secrets.get(mount.name) !== undefined);
  return other === undefined
    ? found('unmounted', path)
    : found('elsewhere', path, `Secret ${secrets.get(other.name)} is mounted at ${other.mountPath}`);
};

/** Errors of crypto/tls X509KeyPair. */
const unreadablePair =
  /failed to find any PEM data in (?:certificate|key) input|private key (?:type )?does not match public key/;
/** Errors of OpenSSL, Node and Python about a private key with a passphrase; Go's own is {@link unparsedKey}. */
const encryptedKey =
  /^(?!.*\b(?:ssh|session|state)\b)(?=.*(?:\b(?:pem|tls|ssl|certificate|private key)\b|digital envelope|UI routines|processing error)).*(?:\bbad decrypt\b|\bbad password read\b|\bpassphrase required\b|interrupted or cancelled|\bprivate key is (?:encrypted|password[- ]protected)\b|\bencrypted private key\b)|ERR_MISSING_PASSPHRASE/i;
/** Of Go's crypto/tls: a private key that is encrypted, damaged or of an unknown type. */
const unparsedKey = /tls: failed to parse private key/;
const secretFlag = /^--?[\w-]*secret[\w-]*?(?<!namespace)=(?:[\w.-]+\/)?(?<secret>[\w.-]+)$/;

/**
 * The Secret that the arguments or volumes of a container name: the only one, or the only one that certainly contains no
 * certificate.
 */
function unloadableSecret({ spec, metadata: { namespace } }: Pod, name: string, { secrets }: LogFacts) {
  const {
    args = [],
    command = [],
    volumeMounts = [],
  } = spec.containers.find((one) => one.name === name) ?? {};
  const mounted = (spec.volumes ?? []).flatMap(({ name: volume, secret }) =>
    volumeMounts.some((mount) => mount.name === volume) ? (secret?.secretName ?? []) : [],
  );
  const named = [...command, ...args].flatMap((word) => secretFlag.exec(word)?.groups?.secret ?? []);
  const all = [...new Set([...named, ...mounted])];
  const empty = all.filter((one) => {
    const secret = secrets.getIfKnown(keyOf({ namespace, name: one }));
    return secret?.keys.includes('tls.crt') === true && holdsNoCertificate(secret);
  });
  const [secret, another] = all.length > 1 ? empty : all;
  return another === undefined ? secret : undefined;
}

/** A key pair that does not load, and its Secret. */
const keyPair: Reader = (line, pod, name, facts) => {
  const said = unreadablePair.exec(line)?.[0];
  const isEncrypted = encryptedKey.test(line) || unparsedKey.test(line);
  const secret = said !== undefined || isEncrypted ? unloadableSecret(pod, name, facts) : undefined;
  if (secret === undefined) return undefined;
  return isEncrypted ? found('encrypted', secret) : found('keyPair', secret, said);
};

/** The leader-for-life election of operator-lib (leader/leader.go): the lock belongs to a Pod until that is deleted. */
const lockOwner = /"?LockOwner"?\s*[:=]\s*\\*"?(?<holder>[\w.-]+)/;

const lock: Reader = (line, { metadata }, _container, { pods, takenAt }) => {
  const name = lockOwner.exec(line)?.groups?.holder;
  const holder = pods
    .all()
    .flat()
    .find((pod) => pod.metadata.name === name && pod.metadata.namespace === metadata.namespace);
  if (name === undefined || holder === undefined || name === metadata.name) return undefined;
  const state = endedState(holder, takenAt);
  return state === undefined ? undefined : found('lock', name, state);
};

const readers: readonly Reader[] = [
  port,
  limit,
  architecture,
  argument,
  configuration,
  variable,
  kind,
  list,
  definition,
  registration,
  removed,
  token,
  file,
  unreadable,
  readOnly,
  keyPair,
  lock,
];

/** Lines of a log that can name the cause: an error, and one that led to it. */
const mostLines = 3;

/** The reason in the log of a Pod for which it does not serve; undefined if no line names a known one. */
export function loggedCause(
  pod: Pod,
  facts: LogFacts,
): (LoggedCause & { readonly container: string }) | undefined {
  return firstResult(pod.spec.containers, ({ name: container }) => {
    const log = logOf(pod, container, facts);
    const lines = [...lastLogLines(log, 1), ...relevantLogLines(log, mostLines).toReversed()];
    const found = firstResult(lines, (line) =>
      firstResult(readers, (read) => read(line, pod, container, facts)),
    );
    return found && { ...found, container };
  });
}
