import { ownRefuser } from '../../../apiserver/deadlock/refused-creation.ts';
import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import { serverHost } from '../../../apiserver/routing/server-host.ts';
import type { Callout } from '../../../facts/callout.ts';
import { type ObjectRef, refText } from '../../../facts/object-ref.ts';
import type { CertManagerCertificate } from '../../../facts/objects/cert-manager.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { servingSources } from '../../../facts/objects/serving-source.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { volumeSources } from '../../../facts/workloads/volume-sources.ts';
import { brief } from '../../../phrases/brief.ts';
import { namedList } from '../../../phrases/lists.ts';
import { backendPodFacts, badReplicas, inState, podsWithState } from '../../../pods/bad-replicas.ts';
import { isInstalled, requestedInjector } from '../../../products/ca-injectors.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { defineCheck, latent } from '../../check.ts';
import { writerFails } from '../../tls/writer/certificate-writer-check.ts';
import { reportBadPods } from '../bad-pods-check.ts';

/**
 * The kubelet's errors if the source of a volume does not exist, the first two from a 1.35.4 kubelet:
 * `MountVolume.SetUp failed for volume "certs" : secret "policy-certs" not found`, `MountVolume.SetUp failed
 * for volume "config" : configmap "policy" not found`, `MountVolume.SetUp failed for volume "certs" :
 * references non-existent secret key: tls.crt`.
 */
const missingObject = /(secret|configmap)s? \\*"(?:[^"/]*\/)?([^"\\]+)\\*" not found/;
const missingKey = /references non-existent (secret|config) key: (\S+)/;

/** The rest of the kubelet's error, after the name of the volume. */
const failedMount = /^MountVolume\.\w+ failed for volume "(?<volume>[^"]*)" : (?<detail>.*)$/s;
/** A CSI driver without a registration on the node (kubernetes pkg/volume/csi). */
const missingDriver = /driver name (?<driver>\S+) not found in the list of registered CSI drivers/;

const kindOf = (word: string | undefined) => (word === 'secret' ? 'Secret' : 'ConfigMap');

/**
 * The missing Secret or ConfigMap in an error of the kubelet, or in the log of a program that reads it itself
 * (apimachinery NewNotFound); undefined if it is about something else.
 */
export function missingVolume(detail: string, namespace: string): ObjectRef | undefined {
  const [, kind, name] = missingObject.exec(detail) ?? [];
  return name === undefined ? undefined : { kind: kindOf(kind), namespace, name };
}

/** A key that a volume mounts and its Secret or ConfigMap does not have. */
interface AbsentKey {
  readonly key: string;
  readonly kind: 'Secret' | 'ConfigMap';
  /** Undefined if a projected volume has several sources of this kind. */
  readonly name: string | undefined;
}

/** The key that a mount does not find; undefined if the mount fails for another reason. */
function absentKey(detail: string, { spec }: Pod): AbsentKey | undefined {
  const [, holder, key] = missingKey.exec(detail) ?? [];
  if (key === undefined) return undefined;
  const kind = kindOf(holder);
  const failed = failedMount.exec(detail)?.groups?.volume;
  const volumes = (spec.volumes ?? []).filter(({ name }) => failed === undefined || name === failed);
  const sources = volumes.flatMap(volumeSources).filter((source) => source.kind === kind);
  const [name, ...others] = new Set(sources.flatMap((source) => source.name ?? []));
  return { key, kind, name: others.length === 0 ? name : undefined };
}

/** True if the object has the certificate that the Pod serves. */
const isServing = ({ kind, name }: ObjectRef, pod: Pod): boolean =>
  servingSources(pod, undefined).some((one) => one.kind === kind && one.name === name);

/**
 * True if the missing object is the serving Secret, an annotation of the webhook names its Certificate, and cert-manager
 * is not installed.
 */
function lacksIssuer(
  missing: ObjectRef,
  pod: Pod,
  { metadata }: Callout,
  facts: Pick<Facts, 'served'>,
): boolean {
  const requested = requestedInjector(metadata);
  return (
    requested?.injector.names === 'Certificate' && isServing(missing, pod) && !isInstalled(requested, facts)
  );
}

/**
 * The Certificate for the Service that writes another Secret than the serving one, which is missing, if no Certificate
 * writes that one. Undefined if the Pod also mounts the other Secret.
 */
function certificateOfOtherName(
  missing: ObjectRef,
  pod: Pod,
  callout: Callout,
  all: readonly CertManagerCertificate[],
) {
  if (!isServing(missing, pod) || all.some(({ spec }) => spec.secretName === missing.name)) return undefined;
  const host = serverHost(callout) ?? '';
  const [first, ...others] = all.filter(({ spec }) => spec.dnsNames?.includes(host));
  const secret = first?.spec.secretName;
  const isMounted = (pod.spec.volumes ?? [])
    .flatMap(volumeSources)
    .some(({ kind, name }) => kind === 'Secret' && name === secret);
  return first === undefined || secret === undefined || others.length > 0 || isMounted
    ? undefined
    : { certificate: first.metadata.name, secret };
}

export const replicaVolumeMissing = defineCheck({
  meta: {
    id: 'replica-volume-missing',
    title: 'Pod cannot mount a volume',
    consequence: 'failing',
    why: 'The kubelet starts the containers of a Pod only after all its volumes are mounted. For a webhook, the missing volume is usually the Secret with the serving certificate.',
    advice:
      '[look] Find the object that is missing: `kubectl -n {namespace} describe pod {pod}`. [end] Create the missing object, or find out why its creator has not: cert-manager, the certificate Job of the chart, or the operator. [look] Read the state of cert-manager: `kubectl -n {issuing} get certificate,certificaterequest`. [with] The kubelet retries within two minutes.',
    messages: {
      missing: {
        text: '{pods} cannot start because {what} is missing',
        advice:
          '[look] Read the state of cert-manager: `kubectl -n {issuing} get certificate,certificaterequest`. [look] If a Job of the chart or an operator must create the object, read the log of that Job or operator: `kubectl -n {namespace} get jobs,pods`. [end] If nothing creates the object, apply the manifests again, or run `helm upgrade` without `--wait`. [with] With `--wait`, post-install hooks start only when these Pods are Ready. [end] If the object has another name (`kubectl -n {namespace} get secrets,configmaps`), correct the volume: `kubectl -n {namespace} edit {workload}`. [with] The kubelet retries within two minutes.',
      },
      otherName: {
        text: '{pods} cannot start because {what} is missing; Certificate {certificate} writes the certificate of this Service to Secret {other}',
        advice:
          '[end] Set `secretName` of the volume to `{secret}`: `kubectl -n {namespace} edit {workload}`. [with] Correct the manifest or the values of the chart, too. [end] If the volume is right, correct `secretName` of the Certificate: `kubectl -n {namespace} edit certificate {certificate}`.',
      },
      fills: {
        text: '{pods} cannot start because {what} is missing; {by} fills it once it exists',
        advice:
          '[end] Create the Secret empty: `kubectl -n {namespace} create secret generic {secret}`. [with] The kubelet retries within two minutes, and the program fills it: some programs only every five minutes, or when they are restarted. [with] Add the Secret to the manifests of the program, too.',
      },
      creates: {
        text: '{pods} cannot start because {what} is missing; {by} must create it',
        advice:
          '[look] Check that the program or Job runs: `kubectl -n {namespace} get deployments,pods`. [end] If the program or Job does not exist, run `helm upgrade`, or apply the manifests again. [end] If the program or Job runs, read its log, and restart it. [with] The kubelet retries within two minutes.',
      },
      noIssuer: {
        text: '{pods} cannot start because {what} is missing: cert-manager must create it, but is not installed',
        advice:
          '[end] Install cert-manager, and apply the manifests of the webhook again (`helm upgrade`): the API server refused its Certificate and Issuer. [end] Without cert-manager, create the Secret from PEM files, and write the CA into the caBundle: `kubectl -n {namespace} create secret tls {secret} --cert=tls.crt --key=tls.key`.',
      },
      blocked: {
        text: '{pods} cannot start because {what} is missing. Its creation is refused while their webhook {webhook} is down',
        advice:
          '[end] Let the webhook fail open: `kubectl webhook failopen {blocker} --for 30m`. [end] Create the object, or let its Job, operator or chart create it (`kubectl -n {namespace} get jobs`). [with] The kubelet retries within two minutes. [prevent] To prevent this deadlock, exclude this namespace by `namespaceSelector`.',
      },
      blockedIssue: {
        text: '{pods} cannot start because {what} is missing. cert-manager cannot create it while their webhook {webhook} is down',
        advice:
          '[end] Let the webhook fail open: `kubectl webhook failopen {blocker} --for 30m`. [with] As soon as requests pass, cert-manager creates the Secret, and the kubelet mounts it within two minutes. [prevent] To prevent this deadlock, exclude this namespace by `namespaceSelector`, or this Secret by `objectSelector` (label it with `secretTemplate` of the Certificate).',
      },
      key: {
        text: '{pods} cannot start because the mounted {holder} has no key {key}',
        advice:
          '[look] Compare the keys of the object with `items` of the volume: `kubectl -n {namespace} describe {mounted}`. [end] Add the key where the object is declared, or correct the volume: `kubectl -n {namespace} edit {workload}`. [with] The kubelet retries within two minutes.',
      },
      driver: {
        text: '{pods} cannot mount volume {volume}: CSI driver {driver} is not registered on {nodes}',
        advice:
          '[end] Install the driver, or find out why its Pod does not run on that node. [see] The drivers of the node: `kubectl get csinode {node} -o yaml`.',
      },
      failing: '{pods} cannot mount a volume ({detail})',
      volume: {
        text: '{pods} cannot mount volume {volume}: {detail}',
        advice:
          '[end] Correct the value that the error names, in the volume of the Pod template (`kubectl -n {namespace} edit {workload}`) or on the node: `kubectl describe node {node}`. [with] The kubelet retries within two minutes.',
      },
      some: latent('{pods} cannot mount a volume ({detail}); other Pods serve requests'),
    },
    preventsReadiness: true,
    follows: ['certificate-not-issued', ...writerFails, 'bootstrap-deadlock'],
    references: ['/docs/concepts/configuration/secret/#restriction-secret-must-exist'],
  },
  requires: [...backendPodFacts, 'version', 'namespaces', 'served', 'certificates'],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const { namespace } = backend;
    const bad = badReplicas(backend, facts, inState('volume-missing'));
    if (bad === undefined) {
      // Only Events explain why a scheduled Pod does not start: without Events the result is unknown.
      const waits = podsWithState(backend, facts).some(
        ({ pod, state }) => state.state === 'starting' && pod.spec.nodeName !== undefined,
      );
      if (waits) facts.events.get(namespace);
      return undefined;
    }
    const report = reportBadPods(bad, find);
    const detail = bad.first.state.text ?? bad.first.state.reason ?? '';
    if (bad.extent !== 'all') return report('some', { detail: brief(detail) });
    const missing = missingVolume(detail, namespace);
    if (missing !== undefined) {
      const what = refText(missing);
      const certificates = facts.certificates.getIfKnown(namespace) ?? [];
      const refuser = ownRefuser(backend.callout, missing, facts);
      if (refuser !== undefined) {
        const { webhook, configuration } = refuser;
        const isIssued = certificates.some(({ spec }) => spec.secretName === missing.name);
        const message = missing.kind === 'Secret' && isIssued ? 'blockedIssue' : 'blocked';
        return report(message, { what, webhook }, { blocker: configuration });
      }
      if (missing.kind === 'Secret' && lacksIssuer(missing, bad.first.pod, backend.callout, facts))
        return report('noIssuer', { what }, { secret: missing.name });
      const { secret, by = '', onlyFills } = rotatedSecret(backend.callout) ?? {};
      if (missing.kind !== 'Secret') return report('missing', { what });
      if (missing.name !== secret) {
        const other = certificateOfOtherName(missing, bad.first.pod, backend.callout, certificates);
        if (other === undefined) return report('missing', { what });
        return report('otherName', { what, certificate: other.certificate, other: other.secret }, other);
      }
      return report(onlyFills === true ? 'fills' : 'creates', { what, by }, { secret });
    }
    const absent = absentKey(detail, bad.first.pod);
    if (absent !== undefined) {
      const { key, kind, name } = absent;
      const mounted = name && `${kind.toLowerCase()}/${name}`;
      const holder = name === undefined ? kind : refText({ kind, namespace, name });
      return report('key', { holder, key }, { mounted });
    }
    const { volume, detail: error = detail } = failedMount.exec(detail)?.groups ?? {};
    if (volume === undefined) return report('failing', { detail: brief(detail) });
    const driver = missingDriver.exec(error)?.groups?.driver;
    if (driver === undefined) return report('volume', { volume, detail: brief(error) });
    const lacking = bad.each.filter(({ state }) => state.text?.includes(driver) === true);
    const nodes = new Set(lacking.flatMap(({ pod }) => pod.spec.nodeName ?? []));
    return report('driver', { volume, driver, nodes: namedList('node', [...nodes], 2) });
  },
});
