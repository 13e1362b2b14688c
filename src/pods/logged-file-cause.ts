import { exitReason, isHandled } from '../apiserver/sentences/logs/log-lines.ts';
import { keyOf } from '../facts/object-ref.ts';
import { holdsNoCertificate, isNameOfAuthority } from '../facts/objects/certificate-secret.ts';
import { lastingContainers } from '../facts/workloads/container-crash.ts';
import { type MountedPath, mountOf } from '../facts/workloads/pod-context.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { listed } from '../phrases/lists.ts';
import { found, type LoggedCause, type LoggedText, type Reader } from './log-reader.ts';

const inDirectory = (directory: string, path: string): string => `${directory.replace(/\/*$/, '')}/${path}`;

/**
 * A file that the Secret volume does not provide: it has other paths for its keys, or its Secret has other keys or does
 * not exist. A program may need no CA.
 */
function missingInSecret({ mountPath, volume }: MountedPath, text: LoggedText): LoggedCause | undefined {
  const { first: path, pod, facts } = text;
  if (volume?.secret === undefined) return undefined;
  const { secretName: name = '', items, optional } = volume.secret;
  const provided = items?.map((item) => inDirectory(mountPath, item.path));
  if (provided !== undefined && !provided.includes(path))
    return found('items', path, `Secret ${name} provides ${listed(provided)}`);
  const key = keyOf({ namespace: pod.metadata.namespace, name });
  const keys = facts.secrets.getIfKnown(key)?.keys ?? [];
  const file = path.slice(inDirectory(mountPath, '').length);
  // After an error about a file that it can do without, a program exits because of another one.
  const isNeeded = isExitReason(text) && !isNameOfAuthority(file);
  if (items === undefined && keys.length > 0 && isNeeded && !file.includes('/'))
    return keys.some((one) => inDirectory(mountPath, one) === path)
      ? undefined
      : { ...found('keys', path, `Secret ${name} has the keys ${listed(keys.toSorted())}`), secret: name };
  // A Pod does not start without a Secret that is not optional.
  return optional === true && facts.secrets.isAbsent(key) ? found('absent', path, key) : undefined;
}

/**
 * A certificate file that does not exist: in a directory that no volume provides, with the Secret that is mounted
 * elsewhere; or in the volume of a Secret that does not provide it.
 */
function missingFile(text: LoggedText): LoggedCause | undefined {
  const { first: path, pod, container } = text;
  const mounted = mountOf(pod, container, path);
  if (mounted !== undefined) return missingInSecret(mounted, text);
  const mounts = pod.spec.containers.find(({ name }) => name === container)?.volumeMounts ?? [];
  const secrets = new Map((pod.spec.volumes ?? []).map(({ name, secret }) => [name, secret?.secretName]));
  const other = mounts.find(({ name }) => secrets.get(name) !== undefined);
  return other === undefined
    ? found('unmounted', path)
    : found('elsewhere', path, `Secret ${secrets.get(other.name)} is mounted at ${other.mountPath}`);
}

const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * A Unix socket that does not exist yet, or on which nothing listens: another container or sidecar that mounts the volume
 * creates it, or a process on the node. Only if the program exits because of it: other programs retry, or can do without it.
 */
function missingSocket(text: LoggedText): LoggedCause | undefined {
  const { first: path, pod, container } = text;
  const volume = mountOf(pod, container, path)?.volume;
  if (volume === undefined || !isExitReason(text)) return undefined;
  const { hostPath, csi, name } = volume;
  if (hostPath !== undefined || csi !== undefined)
    return found('nodeSocket', path, pod.spec.nodeName ?? 'its node');
  const [creator, another] = lastingContainers(pod).filter(
    (one) => one.name !== container && one.volumeMounts?.some((mount) => mount.name === name),
  );
  if (creator === undefined) return undefined;
  return found('socket', path, another === undefined ? `container ${creator.name}` : 'another container');
}

const secretFlag = /^--?[\w-]*secret[\w-]*?(?<!namespace)=(?:[\w.-]+\/)?(?<secret>[\w.-]+)$/;

/**
 * The Secret that the arguments or volumes of a container name: the only one, or the only one that certainly contains no
 * certificate, or the only one of those that were read that is for a certificate.
 */
function unloadableSecret({ pod, container, facts: { secrets } }: LoggedText): string | undefined {
  const { spec, metadata } = pod;
  const own = spec.containers.find(({ name }) => name === container);
  const { args = [], command = [], volumeMounts = [] } = own ?? {};
  const mounted = (spec.volumes ?? []).flatMap(({ name, secret }) =>
    volumeMounts.some((mount) => mount.name === name) ? (secret?.secretName ?? []) : [],
  );
  const named = [...command, ...args].flatMap((word) => secretFlag.exec(word)?.groups?.secret ?? []);
  const all = [...new Set([...named, ...mounted])];
  const keys = new Map(all.map((name) => [name, keyOf({ namespace: metadata.namespace, name })]));
  const withPair = all.filter((name) => secrets.getIfKnown(keys.get(name) ?? '')?.keys.includes('tls.crt'));
  const empty = withPair.filter((name) => {
    const secret = secrets.getIfKnown(keys.get(name) ?? '');
    return secret !== undefined && holdsNoCertificate(secret);
  });
  const areKnown = [...keys.values()].every((key) => secrets.getIfKnown(key) !== undefined);
  const possible = empty.length === 0 && areKnown ? withPair : empty;
  const [secret, another] = all.length > 1 ? possible : all;
  return another === undefined ? secret : undefined;
}

/** True if the process ended with this line: another certificate that does not load may be that of a client. */
const isExitReason = ({ line, pod, container, facts }: LoggedText): boolean =>
  exitReason(logOf(pod, container, facts))?.trim() === line.trim() && !isHandled(line);

/** A private key that does not load, and its Secret. */
function encryptedKey(text: LoggedText): LoggedCause | undefined {
  const secret = unloadableSecret(text);
  return secret === undefined ? undefined : found('encrypted', secret);
}

/** Messages about files and certificates, of Go, and of Node and Python. In the order in which they are tried. */
export const fileReaders: readonly Reader[] = [
  {
    // The token of the ServiceAccount, which a client in a Pod needs; the API server adds its volume unless that is
    // turned off.
    says: /\/var\/run\/secrets\/kubernetes\.io\/serviceaccount\/token\b.*no such file|no such file.*\/serviceaccount\/token\b/i,
    cause: ({ pod, container }) =>
      mountOf(pod, container, tokenPath) === undefined ? found('token') : undefined,
  },
  {
    // Of Go's net package.
    says: /\bdial unix (?<path>\/[^\s":]+): connect: (?:no such file or directory|connection refused)/,
    cause: missingSocket,
  },
  {
    says: /\b(?:open|l?stat) "?(?<go>\/[^\s":]+\.(?:crt|key|pem|cert))"?: no such file|no such file or directory(?:, \w+ |: )'(?<other>\/[^']+\.(?:crt|key|pem|cert))'/i,
    cause: missingFile,
  },
  {
    // A file of a Secret volume that the user of the process must not read.
    says: /\b(?:open|stat) "?(?<go>\/[^\s":]+)"?: permission denied|permission denied(?:, \w+ |: )'(?<other>\/[^']+)'/i,
    cause: ({ first: path, pod, container }) => {
      const secret = mountOf(pod, container, path)?.volume?.secret;
      return secret && found('unreadable', path, `Secret ${secret.secretName}`);
    },
  },
  {
    // EROFS: a file that the process creates where its container may not write.
    says: /\b(?:open|mkdir|create|write) (?<go>\/[^\s":]+): read-only file system|read-only file system(?:, \w+ |: )'(?<other>\/[^']+)'/i,
    cause: ({ first: path, pod, container }) => {
      const mount = mountOf(pod, container, path);
      return found(
        'readOnly',
        path,
        mount === undefined ? 'the root file system of its container' : `the volume at ${mount.mountPath}`,
      );
    },
  },
  {
    // Errors of OpenSSL, Node and Python about a private key with a passphrase.
    says: /^(?!.*\b(?:ssh|session|state)\b)(?=.*(?:\b(?:pem|tls|ssl|certificate|private key)\b|digital envelope|UI routines|processing error)).*(?:\bbad decrypt\b|\bbad password read\b|\bpassphrase required\b|interrupted or cancelled|\bprivate key is (?:encrypted|password[- ]protected)\b|\bencrypted private key\b)|ERR_MISSING_PASSPHRASE/i,
    cause: encryptedKey,
  },
  {
    // Of Go's crypto/tls: a private key that is encrypted, damaged or of an unknown type.
    says: /tls: failed to parse private key/,
    cause: encryptedKey,
  },
  {
    // Of crypto/tls X509KeyPair, and of the parser that it calls (crypto/x509 parser.go).
    says: /(?<error>failed to find any PEM data in (?:certificate|key) input|private key (?:type )?does not match public key|(?<!from (?:client|server): )x509: (?:malformed |trailing data|invalid (?:version|validity|basic|key usage|public key)|cannot parse |failed to parse )[\w .-]*)/,
    cause: (text) => {
      if (text.first.startsWith('x509: ') && !isExitReason(text)) return undefined;
      const secret = unloadableSecret(text);
      return secret === undefined ? undefined : found('keyPair', secret, text.first);
    },
  },
];
