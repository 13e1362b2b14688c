import { parseChain } from '../apiserver/certificate/parse/parse-chain.ts';
import { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
import { exitReason } from '../apiserver/sentences/logs/log-lines.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf, type ObjectRef } from '../facts/object-ref.ts';
import { certManager } from '../facts/objects/cert-manager.ts';
import type { CertificateSecret } from '../facts/objects/certificate-secret.ts';
import { issuerProblem } from '../facts/objects/issuer-problem.ts';
import type { World } from '../facts/snapshot.ts';
import { leaderlessLease } from '../facts/workloads/leaders.ts';
import { podContext } from '../facts/workloads/pod-context.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { conditionOf, podState, type ReplicaState } from '../facts/workloads/pod-state.ts';
import { replicaPods } from '../facts/workloads/replicas.ts';
import { refOfPod } from '../facts/workloads/workloads.ts';
import { brief } from '../phrases/brief.ts';
import {
  type CaInjector,
  isInstalled,
  isPodOf,
  type RequestedInjector,
  requestedInjector,
  sourceOfCa,
} from '../products/ca-injectors.ts';
import { anchorsOf, chainFacts } from './chains.ts';
import { type ServingSecret, servingSecrets } from './serving-secret.ts';

/** The facts that decide whether a CA injector works. */
export const injectionFacts = [
  ...chainFacts,
  'certificates',
  'events',
  'issuers',
  'leases',
  'logs',
  'namespacePods',
  'nodes',
  'served',
] as const;
export type InjectionFacts = World<(typeof injectionFacts)[number]>;

/** Why the CA is not in the caBundle. */
export interface BrokenInjection {
  readonly why:
    | 'malformed'
    | 'notInstalled'
    | 'certificateMissing'
    | 'otherCertificate'
    | 'certificateNotReady'
    | 'secretMissing'
    | 'secretNotAllowed'
    | 'secretNotOwned'
    | 'secretWithoutCa'
    | 'secretCaUnreadable'
    | 'notInjected'
    | 'otherSecret'
    | 'otherIssuer'
    | 'noCaOfServing'
    | 'podsFail'
    | 'outOfMemory'
    | 'outdated'
    | 'notRunning';
  readonly target: string;
  readonly detail?: string;
  readonly evidence?: Evidence;
  /** It is a fault only if the caBundle does not verify the served certificate. */
  readonly mayVerify?: true;
  /** The Pod of the injector that fails. */
  readonly pod?: string;
}

const refOf = (kind: string, target: string): ObjectRef => {
  const [namespace = '', name = ''] = target.split('/');
  return { kind, namespace, name };
};

/** States in which a Pod works, or may work soon. */
const passing = new Set<ReplicaState>(['ready', 'not-ready', 'starting', 'terminating']);

/** True if it was written less than a minute ago: the injector may not have processed it yet. */
const isFresh = ({ writers = [] }: CertificateSecret, takenAt: string): boolean =>
  writers.some(({ at }) => at !== undefined && Date.parse(takenAt) - Date.parse(at) < 60_000);

/** True if the caBundle contains every certificate of the text. */
function isHeld(callout: Callout, pem: string, version: string | undefined): boolean {
  const held = anchorsOf(callout, version);
  const wanted = parseChain(pemCertificates(pem), version).filter((found) => found !== undefined);
  return wanted.every(({ raw }) => held.some((anchor) => anchor.raw.equals(raw)));
}

/** Why the injector gets no CA from a Secret (cert-manager pkg/controller/cainjector/sources.go). */
function ofSecret(
  target: string,
  demanded: Readonly<Record<string, string>>,
  { secrets }: InjectionFacts,
): BrokenInjection | undefined {
  if (!secrets.known(target)) return undefined;
  const secret = secrets.get(target);
  const object = refOf('Secret', target);
  if (secret === undefined) {
    return { why: 'secretMissing', target, evidence: { object, value: 'not found' } };
  }
  for (const [annotation, wanted] of Object.entries(demanded)) {
    const value = secret.metadata.annotations?.[annotation];
    if (value === wanted) continue;
    const why = annotation === certManager.allowDirectInjection ? 'secretNotAllowed' : 'secretNotOwned';
    const field = `metadata.annotations["${annotation}"]`;
    return { why, target, detail: wanted, evidence: { object, field, value: value ?? 'none' } };
  }
  if (secret.certificates['ca.crt'] !== undefined) return undefined;
  const value = secret.keys.join(', ') || 'none';
  const why = secret.keys.includes('ca.crt') ? 'secretCaUnreadable' : 'secretWithoutCa';
  return { why, target, evidence: { object, field: 'data', value } };
}

/** The Certificate that issued a serving Secret, if it was not deleted. */
interface IssuedBy {
  /** `namespace/name`. */
  readonly certificate: string;
  /** Its Secret has the CA that the injector copies; issuers of some types, such as ACME, write none. */
  readonly hasCa: boolean;
}

function issuedBy(callout: Callout, given: InjectionFacts): IssuedBy | undefined {
  const found = servingSecrets(callout, given).flatMap(({ namespace, secret }) => {
    const name = secret?.metadata.annotations?.[certManager.certificateName];
    const isGone = given.certificates.getIfKnown(namespace)?.every(({ metadata }) => metadata.name !== name);
    if (name === undefined || isGone === true) return [];
    const hasCa = secret?.certificates['ca.crt'] !== undefined;
    return [{ certificate: keyOf({ namespace, name }), hasCa }];
  });
  return found[0];
}

function ofCertificate(target: string, callout: Callout, given: InjectionFacts): BrokenInjection | undefined {
  const [namespace = '', name = ''] = target.split('/');
  if (!given.certificates.known(namespace)) return undefined;
  const certificate = given.certificates.get(namespace)?.find(({ metadata }) => metadata.name === name);
  const object = refOf('Certificate', target);
  if (certificate === undefined) {
    const evidence = { object, value: 'not found' };
    const issued = issuedBy(callout, given);
    return issued?.hasCa !== true || issued.certificate === target
      ? { why: 'certificateMissing', target, evidence }
      : { why: 'otherCertificate', target, detail: issued.certificate, evidence };
  }
  const ready = conditionOf(certificate.status?.conditions, 'Ready');
  const { secretName } = certificate.spec;
  const secret =
    secretName === undefined
      ? undefined
      : ofSecret(keyOf({ namespace, name: secretName }), { [certManager.certificateName]: name }, given);
  if (secret !== undefined && ready?.status !== 'True') {
    const itself = ready?.message ?? 'no controller has processed it yet';
    const issuerError = issuerProblem(certificate, given);
    const detail = issuerError === undefined ? itself : `${itself}; ${issuerError.text}`;
    const value = ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}: ${itself}`;
    return {
      why: 'certificateNotReady',
      target,
      detail,
      evidence: { object, field: 'status.conditions[Ready]', value },
    };
  }
  return secret;
}

/** Reports an injector that does not run, by its Lease. */
function stopped({ lease }: CaInjector, given: InjectionFacts): BrokenInjection | undefined {
  const evidence = leaderlessLease(lease, given);
  return evidence && { why: 'notRunning', target: '', evidence };
}

/** The errors of a program about an API version that is no longer served (client-go, apimachinery meta/errors.go). */
const unserved = /no matches for kind .* in version |could not find the requested resource/;

/** Reports an injector none of whose Pods runs: crash-looping, OOMKilled, not scheduled. */
function podsFail({ log }: CaInjector, given: InjectionFacts): BrokenInjection | undefined {
  const own = (given.namespacePods.getIfKnown(log.place) ?? []).filter((pod) => isPodOf(log, pod));
  const states = replicaPods(own).map((pod) => ({ pod, ...podState(pod, podContext(pod, given)) }));
  const [first] = states;
  if (first === undefined || states.some(({ state }) => passing.has(state))) return undefined;
  const { pod, state, reason = '', container } = first;
  const logged = exitReason(logOf(pod, container?.name, given));
  const text = logged ?? first.text ?? '';
  const what = state === 'crash-looping' ? state : reason || state;
  const detail = text === '' ? what : `${what} (${brief(text)})`;
  const value = [reason || state, container && `restart count ${container.restartCount}`];
  const limit = pod.spec.containers.find(({ name }) => name === container?.name)?.resources?.limits?.memory;
  const known: Pick<BrokenInjection, 'why' | 'detail'> = unserved.test(text)
    ? { why: 'outdated', detail: brief(text) }
    : { why: 'podsFail', detail };
  return {
    ...(state === 'out-of-memory' && limit !== undefined ? { why: 'outOfMemory', detail: limit } : known),
    target: '',
    pod: pod.metadata.name,
    evidence: {
      object: refOfPod(pod),
      field: container === undefined ? 'status' : `status.containerStatuses[${container.name}]`,
      value: value.filter(Boolean).join(', '),
    },
  };
}

/** True if a Secret is that of a CA, which no Pod mounts: without a serving certificate. */
function isOfAuthority({ certificates }: CertificateSecret, version: string | undefined): boolean {
  const [own] = parseChain(pemCertificates(certificates['tls.crt'] ?? ''), version);
  return own === undefined || own.basicConstraints?.isCa === true;
}

/** The DER of a name without attributes: kubebuilder's Certificates set no commonName. */
const emptyName = Buffer.from('3000', 'hex');

/**
 * True if a Secret holds the CA that signs a serving certificate, by its name: it may have been renewed. An empty name
 * identifies none.
 */
function isIssuerOf(
  { certificates }: CertificateSecret,
  serving: ServingSecret,
  version: string | undefined,
): boolean {
  const source = certificates['tls.crt'] ?? certificates['ca.crt'] ?? '';
  const [own] = parseChain(pemCertificates(source), version);
  const [leaf] = parseChain(serving.chain, version);
  if (own === undefined || own.rawSubject.equals(emptyName)) return false;
  return leaf?.rawIssuer.equals(own.rawSubject) === true;
}

/** The Pods mount another Secret than the one whose CA the injector has copied. It may hold a certificate of the same CA. */
function ofOtherSecret(
  callout: Callout,
  { injector, value }: RequestedInjector,
  target: string,
  given: InjectionFacts,
): BrokenInjection | undefined {
  const mounted = servingSecrets(callout, given).filter(({ secret }) => secret !== undefined);
  const [first] = mounted;
  const source = given.secrets.get(target);
  if (first === undefined || source === undefined || mounted.some(({ key }) => key === target))
    return undefined;
  if (mounted.some((one) => isIssuerOf(source, one, given.version))) return undefined;
  const issued = issuedBy(callout, given);
  const seen = {
    evidence: { object: refOf(first.kind, first.key), value: 'contains the serving certificate' },
    mayVerify: true,
  } as const;
  if (issued === undefined) {
    // A person fills the Secrets: those of a CA and of its certificates may differ, and their names say nothing.
    if (isOfAuthority(source, given.version)) return undefined;
    return { why: 'otherSecret', target, detail: first.secretOrConfigMap, ...seen };
  }
  const { certificate: detail, hasCa } = issued;
  if (!hasCa) return { why: 'noCaOfServing', target, detail, ...seen };
  return injector.names === 'Certificate'
    ? { why: 'otherCertificate', target: value, detail, ...seen }
    : { why: 'otherIssuer', target, detail, ...seen };
}

/** The error if no cause is found, but the caBundle does not have the expected content. */
function notInjected(
  callout: Callout,
  requested: RequestedInjector,
  given: InjectionFacts,
): BrokenInjection | undefined {
  const target = sourceOfCa(requested, given);
  if (target === undefined || !given.secrets.known(target)) return undefined;
  const secret = given.secrets.get(target);
  const authority = secret?.certificates['ca.crt'];
  if (secret === undefined || authority === undefined || isFresh(secret, given.takenAt)) return undefined;
  if (isHeld(callout, authority, given.version)) return ofOtherSecret(callout, requested, target, given);
  const at = secret.writers?.[0]?.at;
  const value = at === undefined ? 'not in the caBundle' : `written at ${at}, not in the caBundle`;
  return {
    why: 'notInjected',
    target,
    evidence: { object: refOf('Secret', target), field: 'data[ca.crt]', value },
  };
}

/** Returns the reason why the CA injector in an annotation does not work; undefined if unknown. */
export function brokenInjection(callout: Callout, given: InjectionFacts): BrokenInjection | undefined {
  const requested = requestedInjector(callout.metadata);
  if (requested === undefined) return undefined;
  const { injector, value } = requested;
  if (injector.names !== 'nothing' && !/^[^/\s]+\/[^/\s]+$/.test(value))
    return { why: 'malformed', target: value };
  if (!isInstalled(requested, given)) return { why: 'notInstalled', target: value };
  const target = {
    Certificate: () => ofCertificate(value, callout, given),
    Secret: () => ofSecret(value, { [certManager.allowDirectInjection]: 'true' }, given),
    nothing: () => undefined,
  }[injector.names]();
  return (
    target ?? podsFail(injector, given) ?? stopped(injector, given) ?? notInjected(callout, requested, given)
  );
}
