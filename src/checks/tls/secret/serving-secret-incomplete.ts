import { isHandled } from '../../../apiserver/sentences/logs/log-lines.ts';
import { firstResult } from '../../../basics/collections.ts';
import { secondsSince } from '../../../basics/time.ts';
import type { Callout } from '../../../facts/callout.ts';
import { refText } from '../../../facts/object-ref.ts';
import { type CertificateSecret, isStore } from '../../../facts/objects/certificate-secret.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Workload } from '../../../facts/objects/workload.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { NotKnown } from '../../../facts/unread.ts';
import { logLines } from '../../../facts/workloads/pod-logs.ts';
import { startupSeconds } from '../../../facts/workloads/pod-state.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { refOfWorkload, wantedPods, workloadArgument } from '../../../facts/workloads/workloads.ts';
import { certificatesSwitchedOff, knownSettings } from '../../../pods/listening.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { withExaminedCertificates } from '../../../serving-certificates/chains.ts';
import { certificateFor } from '../../../serving-certificates/renewed-by.ts';
import {
  materialFacts,
  type ServingSecret,
  servingSecret,
} from '../../../serving-certificates/serving-secret.ts';
import { writingWorkloads } from '../../../serving-certificates/writer/stopped.ts';
import { defineCheck } from '../../check.ts';
import { secretFromFiles } from './secret-from-files.ts';

interface Lack {
  readonly message: 'noCertificate' | 'noPem' | 'noFile' | 'noKey' | 'exchanged';
  readonly key: string;
}

/** `secret "webhook-certs" is missing "server-key.pem" key`: a process that reads the Secret through the API. */
const missingKey =
  /\bsecret \\?"?(?:[\w.-]+\/)?(?<name>[a-z0-9][\w.-]*)\\?"? is missing \\?"?(?<key>[\w.-]+)\\?"? key\b/i;

const missingFile = /\b(?:open|l?stat|read(?:ing)?) "?(?<path>\/[^\s":]+)"?: no such file or directory/;

/** crypto/tls reads a file without a certificate or key. */
const noPem = /tls: failed to find any PEM data in (?:certificate|key) input/;

const linesOf = (
  { source }: ServingSecret,
  pods: readonly Pod[],
  facts: Pick<Facts, 'logs'>,
): readonly string[] =>
  pods.flatMap((pod) => {
    const read = pod.spec.containers.filter(({ name }) => source === undefined || name === source.container);
    return logLines(pod, read, facts).map(({ line }) => line);
  });

/** Files of the mounted Secret that an error in a log reports as missing: default paths, which no argument names. */
const loggedAsMissing = ({ source }: ServingSecret, lines: readonly string[]): readonly string[] =>
  lines
    .filter((line) => !isHandled(line))
    .flatMap((line) => missingFile.exec(line)?.groups?.path ?? [])
    .flatMap((path) =>
      path.startsWith(`${source?.mountPath}/`) ? path.slice((source?.mountPath.length ?? 0) + 1) : [],
    );

/** Keys of the Secret that a log reports as missing. */
const keysLoggedAsMissing = ({ name }: ServingSecret, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => {
    const { groups } = missingKey.exec(line) ?? {};
    return groups?.name === name && groups.key !== undefined ? groups.key : [];
  });

/**
 * Returns the keys that the process needs but the Secret lacks; undefined if none are known to be missing.
 *
 * @param isRead a log shows that the process reads its certificate from a file.
 */
function lackOf(
  { secret, source, certificateKey }: ServingSecret,
  logged: readonly string[],
  isRead: boolean,
): Lack | undefined {
  if (secret === undefined) return undefined;
  const { keys } = secret;
  const named = [source?.certificateKey, source?.privateKeyKey, ...logged].filter((key) => key !== undefined);
  const absent = named.find((key) => !keys.includes(key));
  if (absent !== undefined) return { message: 'noFile', key: absent };
  // A Secret that was found only by its name proves nothing, unless the process cannot read what it mounts.
  if (source?.because === 'name' && !isRead && secret.type !== 'kubernetes.io/tls') return undefined;
  if (keys.some(isStore)) return undefined;
  if (areExchanged(secret)) return { message: 'exchanged', key: 'tls.crt' };
  if (certificateKey === undefined) {
    const key = source?.certificateKey ?? 'tls.crt';
    return { message: keys.includes(key) ? 'noPem' : 'noCertificate', key };
  }
  const lacksKey =
    certificateKey === 'tls.crt' &&
    source?.privateKeyKey === undefined &&
    !keys.some((key) => /key|pem$/i.test(key));
  return lacksKey ? { message: 'noKey', key: 'tls.key' } : undefined;
}

/** True if the key of the private key holds a certificate, and the key of the certificate none. */
const areExchanged = ({ keys, certificates }: CertificateSecret): boolean =>
  keys.includes('tls.crt') && certificates['tls.crt'] === undefined && certificates['tls.key'] !== undefined;

/** True if no container of the Pod has run for long enough to write a certificate. */
const isStarting = ({ status }: Pod, takenAt: string): boolean =>
  status.phase === 'Pending' ||
  (status.containerStatuses ?? []).every(
    ({ state }) => (secondsSince(state?.running?.startedAt, takenAt) ?? startupSeconds) < startupSeconds,
  );

/** True for an empty Secret that the program that mounts it usually fills, until that has run. */
const waitsForItsProgram = (
  { secret }: ServingSecret,
  pods: readonly Pod[],
  callout: Callout,
  takenAt: string,
): boolean =>
  secret?.keys.length === 0 &&
  (pods.every(({ status }) => status.phase === 'Pending') ||
    (rotatedSecret(callout) !== undefined && pods.every((pod) => isStarting(pod, takenAt))));

const firstWord = (name: string): string | undefined => name.split('-')[0];

/** The only other workload of the installation that may fill the Secret, if it runs; undefined otherwise. */
function runningWriter(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads'>,
  secret: string,
): Workload | undefined {
  const [writer, ...others] = writingWorkloads(callout, facts, [secret]);
  return writer !== undefined &&
    others.length === 0 &&
    wantedPods(writer) > 0 &&
    firstWord(writer.metadata.name) === firstWord(callout.client.service?.name ?? '')
    ? writer
    : undefined;
}

/** What must fill a Secret, if that is not known. */
const noFiller = {
  messageId: undefined,
  writer: '',
  setting: '',
  certificate: '',
  names: { affected: undefined, certificate: undefined, setting: undefined },
};

const servingContainers = (
  { source }: ServingSecret,
  callout: Callout,
  facts: Pick<Facts, 'services' | 'pods'>,
) =>
  knownPods(callout, facts).flatMap(({ spec }) =>
    spec.containers.filter(({ name }) => name === source?.container),
  );

/** The setting that names the file of a key that the Secret lacks, if it has the certificate under another key. */
function namedBy(serving: ServingSecret, key: string, ...of: [Callout, Pick<Facts, 'services' | 'pods'>]) {
  if (Object.keys(serving.secret?.certificates ?? {}).length === 0) return undefined;
  const settings = servingContainers(serving, ...of).flatMap(knownSettings);
  const setting = settings.find(({ value }) => value === `${serving.source?.mountPath}/${key}`)?.shown;
  return setting === undefined
    ? undefined
    : ({ ...noFiller, messageId: 'misnamed', setting, names: { ...noFiller.names, setting } } as const);
}

/** What must fill an empty Secret, and has not: another workload, a Certificate, or the program itself, by its settings. */
function fillerOf(
  serving: ServingSecret,
  callout: Callout,
  facts: Pick<Facts, 'services' | 'pods' | 'workloads' | 'certificates'>,
) {
  const writer = runningWriter(callout, facts, serving.name);
  if (writer !== undefined) {
    const affected = workloadArgument({ kind: writer.kind, name: writer.metadata.name });
    const text = refText(refOfWorkload(writer));
    return {
      ...noFiller,
      messageId: 'unfilled',
      writer: text,
      names: { ...noFiller.names, affected },
    } as const;
  }
  const certificate = certificateFor(serving, facts)?.metadata.name;
  if (certificate !== undefined)
    return {
      ...noFiller,
      messageId: 'unissued',
      certificate,
      names: { ...noFiller.names, certificate },
    } as const;
  const setting = firstResult(servingContainers(serving, callout, facts), certificatesSwitchedOff);
  return setting === undefined ? undefined : ({ ...noFiller, messageId: 'unwritten', setting } as const);
}

const createFromFiles =
  `[end] If no program or Job fills the Secret, create it from PEM files, which kubectl encodes: ${secretFromFiles} [end] If a program or Job fills it, correct that one.` as const;

export const servingSecretIncomplete = defineCheck({
  meta: {
    id: 'serving-secret-incomplete',
    title: 'Secret lacks the certificate or its key',
    severity: 'error',
    why: 'The process does not find the certificate or the private key in the configured files. It exits at its next start, or serves without a certificate. Running processes keep the certificate that they have loaded.',
    advice:
      '[look] Compare the data keys of the Secret with the files that the container reads (`tls.crt` and `tls.key`, unless arguments of the container name others): `kubectl -n {namespace} describe secret {secret}`. [look] If a program or Job fills the Secret, read its log: `kubectl -n {namespace} logs {backend}`. [end] Otherwise add the certificate with its intermediates, or the private key: `kubectl -n {namespace} edit secret {secret}`.',
    noRemedy: 'needs-its-authority',
    messages: {
      // The program that fills it may be the one that crashes.
      empty: {
        text: 'Secret {secret} is empty: nothing has filled it yet',
        explains: false,
        follows: ['replica-crash-looping', 'replica-config-error', 'replica-image-pull-failing'],
      },
      noCertificate: 'Secret {secret} holds no certificate (its keys: {keys})',
      noPem: {
        text: 'Key {key} of Secret {secret} holds no certificate in PEM',
        advice: createFromFiles,
      },
      exchanged: {
        text: 'Key tls.key of Secret {secret} holds the certificate, and tls.crt holds none: they are exchanged',
        advice: createFromFiles,
      },
      noFile: 'Secret {secret} has no key {key}, which the container reads (its keys: {keys})',
      misnamed: {
        text: 'Secret {secret} has no key {key}, the file that {setting} names (its keys: {keys})',
        advice:
          '[end] Set `{setting}` to the file of the key that holds it: `kubectl -n {namespace} edit {workload}`. [end] Or add the certificate and its private key under the names in the settings: `kubectl -n {namespace} edit secret {secret}`. [with] If a program or Job fills the Secret, correct that one.',
      },
      unfilled: {
        text: 'Secret {secret} has no key {key}, which the container reads (its keys: {keys}); {writer} has not filled it',
        advice:
          '[look] Read the reason in the log of the writer: `kubectl -n {namespace} logs {affected}`. [look] The program may write another Secret (`--secret-name`), or lack a permission: compare its arguments with the name of the Secret: `kubectl -n {namespace} describe {affected}`.',
      },
      unwritten: {
        text: 'Secret {secret} has no key {key}, which the container reads; its setting {setting} keeps the program from writing it',
        advice:
          '[end] If no other tool must fill the Secret, remove the setting, so that the program writes its certificate: `kubectl -n {namespace} edit {workload}`. [look] If another tool must, find out why it has not. [see] With cert-manager: `kubectl -n {namespace} get certificate`.',
      },
      unissued: {
        text: 'Secret {secret} has no key {key}, which the container reads; Certificate {certificate} has not filled it',
        advice:
          '[look] Find out why the Certificate is not issued: `kubectl -n {namespace} describe certificate {certificate}`. [end] If the issuer is not Ready, fix the issuer first. [look] If nothing processes the Certificate, check whether the controller of cert-manager runs: `kubectl get deployments,pods -A -l app.kubernetes.io/name=cert-manager`.',
      },
      noKey: 'Secret {secret} holds a certificate and no private key (its keys: {keys})',
    },
    follows: [
      'certificate-not-issued',
      'certificate-job-failed',
      'certificate-writer-not-running',
      'certificate-writer-not-leader',
      'service-account-lacks-rights',
    ],
    references: ['/docs/concepts/configuration/secret/#tls-secrets'],
  },
  requires: ['callouts', 'probes', 'version', 'logs', 'workloads', 'certificates', ...materialFacts],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const serving = servingSecret(callout, facts);
    // A Secret of a product may contain only its CA. A ConfigMap has no private key: missing data is in
    // another object.
    if (serving === undefined || serving.source?.optional === true || serving.kind === 'ConfigMap')
      return undefined;
    const pods = knownPods(callout, facts);
    const lines = linesOf(serving, pods, facts);
    const logged = [...keysLoggedAsMissing(serving, lines), ...loggedAsMissing(serving, lines)];
    // Without a volume, only the log shows that the process reads it.
    if (serving.source === undefined && logged.length === 0) return undefined;
    if (serving.unread !== undefined) throw new NotKnown(serving.unread);
    const lack = lackOf(
      serving,
      logged,
      lines.some((line) => noPem.test(line)),
    );
    if (lack === undefined || waitsForItsProgram(serving, pods, callout, facts.takenAt)) return undefined;
    const { namespace, name, key: secret } = serving;
    const keys = serving.secret?.keys.join(', ') || 'none';
    const isEmpty = serving.secret?.keys.length === 0;
    const evidence = [{ object: { kind: 'Secret', namespace, name }, field: 'data', value: keys }];
    const { key, message } = lack;
    const because = isEmpty ? fillerOf(serving, callout, facts) : namedBy(serving, key, callout, facts);
    const {
      messageId = message,
      names,
      ...filled
    } = (message === 'noFile' ? because : undefined) ?? noFiller;
    return find(
      isEmpty && logged.length === 0 ? 'empty' : messageId,
      { secret, keys, key, ...filled },
      evidence,
      { ...names, secret: name },
    );
  },
});
