import { trustOf } from '../apiserver/certificate/anchors.ts';
import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { clientConfigPath } from '../facts/client-config.ts';
import { derive } from '../facts/derive.ts';
import type { Evidence } from '../facts/evidence.ts';
import { serviceSelects } from '../facts/label-selector.ts';
import { heldLeases, overdue } from '../facts/leaders.ts';
import { keyOf, type ObjectRef } from '../facts/object-ref.ts';
import type { Job } from '../facts/objects/job.ts';
import type { ManagedFields } from '../facts/objects/metadata.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { podContext } from '../facts/pod-context.ts';
import { conditionOf, podState } from '../facts/pod-state.ts';
import { secondsSince } from '../facts/seconds.ts';
import type { World } from '../facts/snapshot.ts';
import {
  isOwnWorkload,
  newestRevision,
  refOfPod,
  refOfWorkload,
  wantedPods,
  workloadArgument,
  workloadOfPod,
  writerPods,
} from '../facts/workloads.ts';
import { brief } from '../phrases/brief.ts';
import { requestedInjector } from '../products/ca-injectors.ts';
import { fieldManagers } from '../products/field-managers.ts';
import { helmRelease, keptBy } from '../products/of-metadata.ts';
import { commonNames, ownInjector } from '../products/writers.ts';
import { brokenInjection, injectionFacts } from './broken-injection.ts';
import { knownChains } from './chains.ts';

/** What tells who should have written a certificate or a caBundle, and what kept it from that. */
export const writerFacts = [
  ...injectionFacts,
  'events',
  'jobs',
  'namespacePods',
  'podConfigMaps',
  'nodes',
  'rbacDenials',
  'workloads',
] as const;
export type WriterFacts = World<(typeof writerFacts)[number]>;

/** Why the CA is not in the caBundle, or the certificate not in its Secret. */
export interface WriterTrouble {
  readonly why:
    | 'jobFailed'
    | 'jobWaits'
    | 'jobTooEarly'
    | 'declaredEmpty'
    | 'replaced'
    | 'overwritten'
    | 'forbidden'
    | 'waitsForLease'
    | 'waitsForLock'
    | 'scaledToZero'
    | 'unavailable';
  /** Who should have written, or who took away what was written: `Job shop/policy-patch`. */
  readonly writer: string;
  readonly said: string;
  readonly evidence: readonly Evidence[];
  /** Pod that keeps another one from writing. */
  readonly pod?: string;
  /** Job that failed. */
  readonly job?: string;
  /** Workload that runs no Pod: `deployment/policy-gencert`. */
  readonly affected?: string | undefined;
}

const refOf = (kind: string, { namespace = '', name }: { namespace?: string; name: string }): ObjectRef => ({
  kind,
  namespace,
  name,
});
const named = (kind: string, metadata: { readonly namespace?: string; readonly name: string }): string =>
  `${kind} ${keyOf(metadata)}`;

/** Everything in the template of a Job or a workload that may name what it writes. */
const wordsOf = ({ metadata, spec: { template } }: Job | Workload): readonly string[] => [
  metadata.name,
  ...[...template.spec.containers, ...(template.spec.initContainers ?? [])].flatMap(
    ({ image = '', command = [], args = [], env = [] }) => [
      image,
      ...command,
      ...args,
      ...env.map(({ value = '' }) => value),
    ],
  ),
];

const aboutBundles = /webhook-?config|ca-?bundle|patch-(validating|mutating)|webhook-name/i;
const aboutCertificates = /cert|tls|ssl|\bca\b/i;

const holds = (words: readonly string[], name: string): boolean =>
  words.some((word) => word.split(/[\s,;:=/"']+/).includes(name) || word.includes(`=${name}`));

/** Jobs that write into a configuration, or make the certificate of its server; those that write into it first. */
function jobsFor(callout: Callout, secrets: readonly string[], jobs: readonly Job[]): readonly Job[] {
  const { name = '', namespace = '' } = callout.client.service ?? {};
  const described = jobs.map((job) => ({ job, words: wordsOf(job) }));
  const patching = described.filter(
    ({ words }) => holds(words, callout.configuration) && words.some((word) => aboutBundles.test(word)),
  );
  const making = described.filter(
    ({ words }) =>
      words.some((word) => aboutCertificates.test(word)) &&
      [...secrets, `${name}.${namespace}.svc`].some((one) => holds(words, one)),
  );
  return [...new Set([...patching, ...making].map(({ job }) => job))];
}

/** A Pod of the Job that does not get on, and its own word for it. */
function stuckPod({ metadata }: Job, facts: WriterFacts): { pod: Pod; said: string } | undefined {
  const { namespace = '', name } = metadata;
  for (const pod of facts.namespacePods.getIfKnown(namespace) ?? []) {
    if (!pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Job' && owner.name === name)) continue;
    const { state, reason, text } = podState(pod, podContext(pod, facts));
    if (state !== 'ready' && (reason ?? text) !== undefined)
      return { pod, said: [reason, text].filter(Boolean).join(': ') };
  }
  return undefined;
}

/** Seconds after which a Job that has not succeeded is late. */
const patience = 60;

function troubleOfJob(job: Job, facts: WriterFacts): WriterTrouble | undefined {
  const { metadata, status = {}, spec } = job;
  const writer = named('Job', metadata);
  const object = refOf('Job', metadata);
  const failed = conditionOf(status.conditions, 'Failed');
  if (failed?.status === 'True') {
    const said = failed.message ?? failed.reason ?? 'no reason given';
    const value = `${failed.status} ${failed.reason ?? ''}: ${said}`;
    const evidence = [{ object, field: 'status.conditions[Failed]', value }];
    return { why: 'jobFailed', writer, said: brief(said), evidence, job: metadata.name };
  }
  if (status.completionTime !== undefined || (status.succeeded ?? 0) > 0) return undefined;
  if ((secondsSince(metadata.creationTimestamp, facts.takenAt) ?? 0) < patience) return undefined;
  const stuck = stuckPod(job, facts);
  const events = facts.events.getIfKnown(metadata.namespace ?? '') ?? [];
  const own = events.find(
    ({ involvedObject: { kind, name } }) => kind === 'Job' && name === metadata.name,
  )?.message;
  const said = spec.suspend === true ? 'it is suspended' : (stuck?.said ?? own ?? 'it has not succeeded yet');
  const evidence = [
    { object, field: 'status.succeeded', value: String(status.succeeded ?? 0) },
    ...(stuck === undefined ? [] : [{ object: refOfPod(stuck.pod), value: stuck.said }]),
  ];
  return { why: 'jobWaits', writer, said: brief(said), evidence, job: metadata.name };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const blank = (base64: string): boolean => Buffer.from(base64, 'base64').toString('latin1').trim() === '';

/** The caBundle in the manifest that was applied last; undefined where none stands there. */
export function declaredBundle(callout: Callout): string | undefined {
  const text = callout.metadata.annotations?.[lastApplied];
  if (text === undefined) return undefined;
  try {
    let at: unknown = JSON.parse(text);
    for (const part of [...clientConfigPath(callout), 'caBundle']) {
      at =
        typeof part === 'number'
          ? (at as readonly { readonly name?: string }[]).find(({ name }) => name === callout.webhook)
          : (at as Readonly<Record<string, unknown>>)[part];
    }
    return typeof at === 'string' ? at : undefined;
  } catch {
    // Anybody may write into an annotation, and a manifest need not declare it.
    return undefined;
  }
}

/** Tools that write what is declared elsewhere, by their field managers. */
const installers =
  /^(argocd|kustomize-controller|helm|flux|fleet|rancher|config-sync|configsync|kapp|kubectl-(client-side-apply|replace|create)|terraform|pulumi|olm)/i;

/** Who restores the configuration, in words, and the mark that says so. */
function restorerOf({
  ref,
  metadata,
}: Callout): { readonly name: string; readonly evidence: Evidence } | undefined {
  const keeper = keptBy(metadata);
  if (keeper !== undefined) {
    const evidence = { object: ref, field: `metadata.${keeper.field}`, value: keeper.value };
    return { name: `${keeper.by} ${keeper.source}`, evidence };
  }
  const release = helmRelease(metadata);
  if (release === undefined) return undefined;
  const field = 'metadata.annotations["meta.helm.sh/release-name"]';
  return {
    name: `Helm release ${release.namespace}/${release.name}`,
    evidence: { object: ref, field, value: release.name },
  };
}

const syncOptions = 'argocd.argoproj.io/sync-options';

/** Whoever wrote the configuration's own fields last. */
const lastWriter = ({ metadata }: Callout): ManagedFields | undefined =>
  [...(metadata.managedFields ?? [])]
    .filter(({ fieldsV1 = {} }) => Object.hasOwn(fieldsV1, 'f:webhooks') || Object.hasOwn(fieldsV1, 'f:spec'))
    .sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];

/** A declared state without a CA that is written over the caBundle again and again. */
function troubleOfRestorer(callout: Callout, jobs: readonly Job[]): WriterTrouble | undefined {
  const { ref, metadata } = callout;
  const restorer = restorerOf(callout);
  const declared = declaredBundle(callout);
  const owner = [...fieldManagers(callout)].find(
    ([manager, fields]) => installers.test(manager) && fields.includes('caBundle'),
  )?.[0];
  const writer = restorer?.name ?? owner;
  const marks = restorer === undefined ? [] : [restorer.evidence];
  // What was empty from the start waits for whoever fills it in.
  const again = (lastWriter(callout)?.time ?? '') > (metadata.creationTimestamp ?? '');
  if (keptBy(metadata) === undefined && !again) return undefined;
  if (declared !== undefined && blank(declared)) {
    const field = `metadata.annotations["${lastApplied}"]`;
    const says = { object: ref, field, value: `caBundle: "${declared}"` };
    return {
      why: 'declaredEmpty',
      writer: writer ?? 'kubectl apply',
      said: 'last-applied-configuration',
      evidence: [...marks, says],
    };
  }
  if (owner !== undefined && writer !== undefined) {
    const says = { object: ref, field: 'metadata.managedFields', value: `${owner} wrote caBundle` };
    return { why: 'declaredEmpty', writer, said: `field manager ${owner}`, evidence: [...marks, says] };
  }
  const options = metadata.annotations?.[syncOptions] ?? '';
  if (restorer !== undefined && /\bReplace=true\b/.test(options)) {
    const says = { object: ref, field: `metadata.annotations["${syncOptions}"]`, value: options };
    return { why: 'replaced', writer: restorer.name, said: 'Replace=true', evidence: [...marks, says] };
  }
  const last = lastWriter(callout);
  const at = last?.time ?? '';
  const patched =
    jobs
      .flatMap(({ status }) => status?.completionTime ?? [])
      .sort()
      .at(-1) ?? '';
  const since = [metadata.creationTimestamp ?? '', patched].sort().at(-1) ?? '';
  const isFilledIn =
    patched !== '' || requestedInjector(metadata) !== undefined || ownInjector(callout) !== undefined;
  if (restorer === undefined || !isFilledIn || !installers.test(last?.manager ?? '') || at <= since)
    return undefined;
  const says = { object: ref, field: 'metadata.managedFields', value: `${last?.manager} wrote at ${at}` };
  return { why: 'overwritten', writer: restorer.name, said: at, evidence: [...marks, says] };
}

/** A Job that did its work for a configuration that was recreated since. */
function troubleOfOrder({ ref, metadata }: Callout, jobs: readonly Job[]): WriterTrouble | undefined {
  const done = jobs.filter(({ status }) => status?.completionTime !== undefined);
  const last = done.sort((a, b) =>
    (b.status?.completionTime ?? '').localeCompare(a.status?.completionTime ?? ''),
  )[0];
  const at = last?.status?.completionTime;
  const made = metadata.creationTimestamp;
  if (last === undefined || at === undefined || made === undefined || made <= at) return undefined;
  return {
    why: 'jobTooEarly',
    writer: named('Job', last.metadata),
    job: last.metadata.name,
    said: at,
    evidence: [
      { object: refOf('Job', last.metadata), field: 'status.completionTime', value: at },
      { object: ref, field: 'metadata.creationTimestamp', value: made },
    ],
  };
}

/** What has to be written so that the API server trusts a server. */
const trusted =
  /^(secrets|(mutating|validating)webhookconfigurations\.admissionregistration\.k8s\.io|customresourcedefinitions\.apiextensions\.k8s\.io|apiservices\.apiregistration\.k8s\.io)$/;

/** A Pod whose log says that it may not write, or read, what makes the API server trust the server. */
function troubleOfRights(
  callout: Callout,
  facts: WriterFacts,
  secrets: readonly string[],
): WriterTrouble | undefined {
  const pods = new Set(writerPods(callout, facts).map(({ metadata }) => metadata.name));
  const denials = facts.rbacDenials.getIfKnown(callout.client.service?.namespace ?? '') ?? [];
  const found = denials.find(
    ({ pod, forbidden: { resource } }) =>
      pods.has(pod.name) && trusted.test(resource) && (resource !== 'secrets' || secrets.length > 0),
  );
  if (found === undefined) return undefined;
  const { account, verb, resource, namespace } = found.forbidden;
  return {
    why: 'forbidden',
    writer: `ServiceAccount ${account}`,
    said: `${verb} ${resource.split('.')[0]} ${namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`}`,
    evidence: [{ object: found.pod, field: `log of container ${found.container}`, value: found.line }],
  };
}

const isRunning = ({ status, metadata }: Pod): boolean =>
  status.phase === 'Running' && metadata.deletionTimestamp === undefined;
/** Seconds after which a Pod that should be deleted stays, as those of a lost node do. */
const deletionPatience = 60;
const hasEnded = ({ status, metadata }: Pod, now: string): boolean =>
  status.phase === 'Failed' ||
  status.phase === 'Succeeded' ||
  (secondsSince(metadata.deletionTimestamp, now) ?? 0) > deletionPatience;

/** Pods of the newest revision that wait for a leader of an older one, or for a lock of one that has ended. */
function troubleOfLeader(callout: Callout, facts: WriterFacts): WriterTrouble | undefined {
  const namespace = callout.client.service?.namespace ?? '';
  const pods = writerPods(callout, facts);
  const siblings = (holder: Pod) =>
    pods.filter(
      (pod) => workloadOfPod(pod).name === workloadOfPod(holder).name && pod !== holder && isRunning(pod),
    );
  for (const { lease, pod: holder } of heldLeases(facts.leases.getIfKnown(namespace) ?? [], pods)) {
    const waiting = newestRevision([...siblings(holder), holder]).filter((pod) => pod !== holder);
    const [first] = waiting;
    const isOld = !newestRevision([...siblings(holder), holder]).includes(holder);
    if (first === undefined || !isOld || overdue(lease, facts.takenAt) !== undefined) continue;
    const value = lease.spec?.holderIdentity ?? '';
    return {
      why: 'waitsForLease',
      pod: holder.metadata.name,
      writer: named('Pod', first.metadata),
      said: `Lease ${keyOf(lease.metadata)}, which Pod ${holder.metadata.name} of an older revision holds`,
      evidence: [{ object: refOf('Lease', lease.metadata), field: 'spec.holderIdentity', value }],
    };
  }
  for (const lock of facts.podConfigMaps.getIfKnown(namespace) ?? []) {
    const holder = pods.find(
      (pod) =>
        hasEnded(pod, facts.takenAt) && lock.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid),
    );
    const [first] = holder === undefined ? [] : siblings(holder);
    if (holder === undefined || first === undefined) continue;
    const { name } = holder.metadata;
    const isKept = holder.metadata.deletionTimestamp !== undefined;
    const state = isKept ? 'Terminating' : (holder.status.reason ?? holder.status.phase ?? 'Failed');
    return {
      why: 'waitsForLock',
      pod: name,
      writer: named('Pod', first.metadata),
      said: `ConfigMap ${keyOf(lock)}, which Pod ${name} (${state}) still owns`,
      evidence: [
        { object: refOf('ConfigMap', lock), field: 'metadata.ownerReferences', value: `Pod ${name}` },
        { object: refOfPod(holder), field: 'status.phase', value: `${holder.status.phase} ${state}` },
      ],
    };
  }
  return undefined;
}

/** What programs are called that make certificates and nothing else. */
const certificateProgram =
  /\b(?:web-?hook-)?certs?-?(?:controller|manager|gen(?:erator)?|rotator)\b|\bgen-?certs?\b|certgen/i;

/** An argument that turns the making of certificates on: `--enable-cert-rotation=true`. */
const rotates = /^--(?:enable-)?cert(?:ificate)?-(?:rotation|management)(?:=true)?$/;

/** Whoever starts without a Secret that others wait for makes it. */
const startsWithout = ({ spec: { template } }: Workload, secrets: readonly string[]): boolean =>
  template.spec.volumes?.some(
    ({ secret }) => secret?.optional === true && secrets.includes(secret.secretName ?? ''),
  ) ?? false;

/**
 * Workloads beside a backend that keep its certificate: their arguments name the configuration or the Secret, or say that
 * they rotate, the name of one is that of the field's last writer, or says that it makes certificates; or they start
 * without the Secret that the backend waits for.
 */
function writingWorkloads(
  callout: Callout,
  facts: WriterFacts,
  secrets: readonly string[],
): readonly Workload[] {
  const { namespace = '', name = '' } = callout.client.service ?? {};
  const { selector } = facts.services.getIfKnown(`${namespace}/${name}`)?.spec ?? {};
  const managers = [...fieldManagers(callout)].flatMap(([manager, fields]) =>
    fields.includes('caBundle') && !commonNames.has(manager) ? [manager] : [],
  );
  return (facts.workloads.getIfKnown(namespace) ?? []).filter((workload) => {
    const { metadata, spec } = workload;
    if (!isOwnWorkload(workload) || serviceSelects(selector, spec.template.metadata?.labels)) return false;
    const [own = '', ...words] = wordsOf(workload);
    const names = [own, ...spec.template.spec.containers.map((container) => container.name)];
    return (
      certificateProgram.test(metadata.name) ||
      words.some((word) => rotates.test(word)) ||
      startsWithout(workload, secrets) ||
      managers.some((manager) => names.includes(manager)) ||
      (words.some((word) => aboutBundles.test(word) || aboutCertificates.test(word)) &&
        [callout.configuration, ...secrets].some((one) => holds(words, one)))
    );
  });
}

/** A workload that writes certificate or caBundle while it runs, and does not run. */
function troubleOfStopped(
  callout: Callout,
  facts: WriterFacts,
  secrets: readonly string[],
): WriterTrouble | undefined {
  const writing = writingWorkloads(callout, facts, secrets);
  const [first] = writing;
  const available = ({ status }: Workload) => status.availableReplicas ?? status.numberReady ?? 0;
  if (first === undefined || writing.some((workload) => available(workload) > 0)) return undefined;
  const object = refOfWorkload(first);
  const writer = named(first.kind, first.metadata);
  const affected = workloadArgument({ kind: first.kind, name: first.metadata.name });
  if (wantedPods(first) === 0) {
    const evidence = [{ object, field: 'spec.replicas', value: '0' }];
    return { why: 'scaledToZero', writer, said: '0', evidence, affected };
  }
  const { reason, message } =
    first.status.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True') ?? {};
  const own = (facts.namespacePods.getIfKnown(first.metadata.namespace ?? '') ?? []).find(
    (pod) => workloadOfPod(pod).name === first.metadata.name,
  );
  const state = own && podState(own, podContext(own, facts));
  const said =
    [state?.reason ?? reason, state?.text ?? message].filter(Boolean).join(': ') || 'no Pod is available';
  const evidence = [{ object, field: 'status.availableReplicas', value: '0' }];
  return { why: 'unavailable', writer, said: brief(said), evidence, affected };
}

/** Secrets for which Pods of the backend wait. */
function awaited(callout: Callout, facts: WriterFacts): readonly string[] {
  const pods = isServiceBacked(callout) ? facts.pods.getIfKnown(keyOf(callout.client.service)) : [];
  return (pods ?? [])
    .filter(({ status }) => status.phase === 'Pending')
    .flatMap((pod) => podContext(pod, facts).missingSecrets);
}

function findTrouble(facts: WriterFacts, callout: Callout): WriterTrouble | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const secrets = awaited(callout, facts);
  const trust = trustOf(callout, facts.version)?.kind;
  const isEmpty = trust === 'system-roots' || trust === 'refused';
  const isRejected = knownChains(callout, facts).some(({ verdict }) => verdict.outcome === 'rejected');
  if (secrets.length === 0 && !isEmpty && !isRejected) return undefined;
  const { namespace } = callout.client.service;
  const jobs = jobsFor(callout, secrets, facts.jobs.getIfKnown(namespace) ?? []);
  for (const job of jobs) {
    const found = troubleOfJob(job, facts);
    if (found !== undefined) return found;
  }
  const lacking = troubleOfRights(callout, facts, secrets);
  if (lacking !== undefined) return lacking;
  // An injector that cannot do its work is a reason of its own.
  const injection = brokenInjection(callout, facts)?.why ?? 'notInjected';
  if (injection !== 'notInjected') return undefined;
  const stopped =
    requestedInjector(callout.metadata) === undefined ? troubleOfStopped(callout, facts, secrets) : undefined;
  if (stopped !== undefined) return stopped;
  const found =
    (isEmpty ? (troubleOfRestorer(callout, jobs) ?? troubleOfOrder(callout, jobs)) : undefined) ??
    (requestedInjector(callout.metadata) === undefined ? troubleOfLeader(callout, facts) : undefined);
  // Whoever was not looked at throws.
  if (found === undefined) facts.jobs.get(namespace);
  return found;
}

/**
 * What kept whoever writes the caBundle of a callout, or the certificate of its server, from doing so, where calls or Pods
 * suffer from it; undefined where nothing shows it. It is found by what objects say, not by which product it is.
 */
export const writerTrouble = derive([...writerFacts, 'takenAt'], findTrouble);
