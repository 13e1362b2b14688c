import { trustOf } from '../../apiserver/certificate/anchors.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { conditionOf } from '../../facts/pod-state.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { askedInjector, type CaInjector } from '../../products/ca-injectors.ts';
import { defineCheck, type Evidence } from '../check.ts';
import { verified } from './ca-bundle.ts';
import { type ChainFacts, chainFacts, knownChains } from './chains.ts';

const facts = [...chainFacts, 'certificates', 'leases', 'served'] as const;
type InjectionFacts = ChainFacts & Pick<Facts, 'certificates' | 'leases' | 'served'>;

interface Broken {
  readonly why:
    | 'malformed'
    | 'notInstalled'
    | 'certificateMissing'
    | 'certificateNotReady'
    | 'secretMissing'
    | 'secretNotAllowed'
    | 'secretWithoutCa'
    | 'notRunning';
  readonly target: string;
  readonly said?: string;
  readonly evidence?: Evidence;
}

const refOf = (kind: string, target: string) => {
  const [namespace = '', name = ''] = target.split('/');
  return { kind, namespace, name };
};

function ofSecret(target: string, needsLeave: boolean, { secrets }: InjectionFacts): Broken | undefined {
  if (!secrets.known(target)) return undefined;
  const secret = secrets.get(target);
  const object = refOf('Secret', target);
  if (secret === undefined) {
    return { why: 'secretMissing', target, evidence: { object, value: 'not found' } };
  }
  const leave = secret.metadata.annotations?.['cert-manager.io/allow-direct-injection'];
  if (needsLeave && leave !== 'true') {
    const field = 'metadata.annotations["cert-manager.io/allow-direct-injection"]';
    return { why: 'secretNotAllowed', target, evidence: { object, field, value: leave ?? 'none' } };
  }
  if (secret.certificates['ca.crt'] !== undefined) return undefined;
  const value = secret.keys.join(', ') || 'none';
  return { why: 'secretWithoutCa', target, evidence: { object, field: 'data', value } };
}

function ofCertificate(target: string, given: InjectionFacts): Broken | undefined {
  const [namespace = '', name = ''] = target.split('/');
  if (!given.certificates.known(namespace)) return undefined;
  const certificate = given.certificates.get(namespace)?.find(({ metadata }) => metadata.name === name);
  const object = refOf('Certificate', target);
  if (certificate === undefined) {
    return { why: 'certificateMissing', target, evidence: { object, value: 'not found' } };
  }
  const ready = conditionOf(certificate.status?.conditions, 'Ready');
  const { secretName } = certificate.spec;
  const secret = secretName === undefined ? undefined : ofSecret(`${namespace}/${secretName}`, false, given);
  if (secret !== undefined && ready?.status !== 'True') {
    const said = ready?.message ?? 'no controller has looked at it yet';
    const value = ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}: ${said}`;
    return {
      why: 'certificateNotReady',
      target,
      said,
      evidence: { object, field: 'status.conditions[Ready]', value },
    };
  }
  return secret;
}

/** Nobody leads: the Lease was given up, or has not been renewed for much longer than it lasts. */
function stopped({ lease }: CaInjector, { leases }: InjectionFacts, takenAt: string): Broken | undefined {
  if (!leases.known(lease.namespace)) return undefined;
  const found = leases.get(lease.namespace)?.find(({ metadata }) => metadata.name === lease.name);
  if (found?.spec === undefined) return undefined;
  const { holderIdentity, renewTime, leaseDurationSeconds = 60 } = found.spec;
  const age = renewTime === undefined ? 0 : Date.parse(takenAt) - Date.parse(renewTime);
  if (holderIdentity !== '' && age < 4 * leaseDurationSeconds * 1000) return undefined;
  const object = { kind: 'Lease', namespace: lease.namespace, name: lease.name };
  const value = holderIdentity === '' ? 'held by nobody' : `renewed last at ${renewTime}`;
  return { why: 'notRunning', target: '', evidence: { object, field: 'spec', value } };
}

function isInstalled({ injector }: { readonly injector: CaInjector }, { served }: InjectionFacts): boolean {
  if (!injector.annotation.startsWith('cert-manager.io/') || !served.known('served')) return true;
  const known = served.get('served');
  return known === undefined || known.resources.some(({ group }) => group === 'cert-manager.io');
}

function brokenBy(callout: Callout, given: InjectionFacts, takenAt: string): Broken | undefined {
  const asked = askedInjector(callout.metadata);
  if (asked === undefined) return undefined;
  const { injector, value } = asked;
  if (injector.names !== 'nothing' && !/^[^/\s]+\/[^/\s]+$/.test(value))
    return { why: 'malformed', target: value };
  if (!isInstalled(asked, given)) return { why: 'notInstalled', target: value };
  const target =
    injector.names === 'Certificate'
      ? ofCertificate(value, given)
      : injector.names === 'Secret'
        ? ofSecret(value, true, given)
        : undefined;
  return target ?? stopped(injector, given, takenAt);
}

/** The bundle is empty, or rejects what is served: the injection that did not happen is the reason. */
function isFelt(callout: Callout, given: InjectionFacts, takenAt: string): boolean {
  const trust = trustOf(callout, given.version)?.kind;
  if (trust === 'refused' || (trust === 'system-roots' && isServiceBacked(callout))) return true;
  return knownChains(callout, given, takenAt).some(
    ({ verdict }) =>
      verdict.outcome === 'rejected' &&
      verdict.faults.some(({ kind }) => kind === 'unknown-authority' || kind === 'issuer-key-differs'),
  );
}

export const caInjectionBroken = defineCheck({
  meta: {
    id: 'ca-injection-broken',
    link: 'tls',
    title: 'Whoever should inject the caBundle cannot',
    severity: 'warning',
    why: 'The annotation asks an injector to keep the caBundle in step with an authority. When what it names is not there or the injector does not run, the bundle stays as it is: empty after an installation, old after the next rotation.',
    advice:
      'Correct the annotation (`NAMESPACE/NAME`), or bring back what it names: `kubectl -n NAMESPACE get certificate,issuer,secret`. See what the injector says: `kubectl -n cert-manager logs deploy/cert-manager-cainjector`.',
    messages: {
      malformed: 'The annotation {annotation} should hold NAMESPACE/NAME, and holds "{target}"',
      notInstalled:
        'The annotation {annotation} asks cert-manager for the caBundle, and this cluster does not serve cert-manager.io',
      certificateMissing: 'The annotation {annotation} names Certificate {target}, which does not exist',
      certificateNotReady:
        'The annotation {annotation} names Certificate {target}, which is not issued: {said}',
      secretMissing: 'The annotation {annotation} leads to Secret {target}, which does not exist',
      secretNotAllowed:
        'The annotation {annotation} names Secret {target}, which lacks the annotation cert-manager.io/allow-direct-injection: "true"',
      secretWithoutCa:
        'The annotation {annotation} leads to Secret {target}, which has no ca.crt: its issuer gives none',
      notRunning: 'The annotation {annotation} asks {injector} for the caBundle, and it does not run',
    },
    references: ['https://cert-manager.io/docs/concepts/ca-injector/'],
  },
  requires: facts,
  subjects: (given) => verified(given).filter(({ metadata }) => askedInjector(metadata) !== undefined),
  run(callout, given, find, takenAt) {
    const asked = askedInjector(callout.metadata);
    const broken = brokenBy(callout, given, takenAt);
    if (asked === undefined || broken === undefined) return undefined;
    const { annotation, name } = asked.injector;
    const evidence = [
      { object: callout.ref, field: `metadata.annotations["${annotation}"]`, value: asked.value },
      ...(broken.evidence === undefined ? [] : [broken.evidence]),
    ];
    const data = { annotation, target: broken.target, said: broken.said ?? '', injector: name };
    const finding = find(broken.why, data, evidence);
    // What breaks the calls is the bundle: this is why, and takes its weight.
    return isFelt(callout, given, takenAt)
      ? { ...finding, severity: 'error', consequence: 'failing' }
      : finding;
  },
});
