import { parseChain } from '../../apiserver/certificate/parse-chain.ts';
import type { Callout } from '../../facts/callout.ts';
import { conditionOf } from '../../facts/pod-state.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { examinedBackends } from '../backends.ts';
import { badReplicas, inState, replicaFacts } from '../bad-replicas.ts';
import { defineCheck } from '../check.ts';
import { whatIsMissing } from '../replica/replica-volume-missing.ts';
import { certificateFor } from './renewed-by.ts';
import { type MaterialFacts, servingSecret } from './serving-secret.ts';

/** The Certificate of a Secret that is there, when its renewal does not come about. */
function failingRenewal(callout: Callout, facts: MaterialFacts & Pick<Facts, 'certificates'>) {
  const serving = servingSecret(callout, facts);
  const [leaf] = serving === undefined ? [] : parseChain(serving.chain, facts.version);
  const certificate = serving && certificateFor(serving, facts);
  const ready = conditionOf(certificate?.status?.conditions, 'Ready');
  if (serving === undefined || leaf === undefined || certificate === undefined || ready?.status !== 'False') {
    return undefined;
  }
  const { namespace = serving.namespace, name } = certificate.metadata;
  const said = ready.message ?? ready.reason ?? 'no reason given';
  return {
    data: {
      certificate: `${namespace}/${name}`,
      said,
      secret: serving.key,
      day: leaf.notAfter.text.slice(0, 10),
    },
    evidence: [
      {
        object: { kind: 'Certificate', namespace, name },
        field: 'status.conditions[Ready]',
        value: `${ready.status} ${ready.reason ?? ''}: ${said}`,
      },
    ],
  };
}

export const certificateNotIssued = defineCheck({
  meta: {
    id: 'certificate-not-issued',
    link: 'tls',
    title: 'cert-manager has not issued the serving certificate',
    severity: 'error',
    consequence: 'failing',
    why: 'The replicas mount the Secret into which cert-manager should write their serving certificate. Until it is issued the kubelet starts none of them.',
    advice:
      'See what issuing waits for: `kubectl -n NAMESPACE get issuer,certificate,certificaterequest` and `kubectl -n NAMESPACE describe certificate NAME`. If the controller of cert-manager does not run, it comes first.',
    messages: {
      notReady: 'Certificate {certificate} is not Ready, so Secret {secret} is missing: {said}',
      renewalFails: {
        text: 'Certificate {certificate} is not Ready: {said}; Secret {secret} holds a certificate until {day}',
        severity: 'warning',
        consequence: 'none',
      },
      some: {
        text: 'Certificate {certificate} is not Ready, so Secret {secret} is missing: {said}; other replicas answer',
        severity: 'warning',
        consequence: 'none',
      },
    },
    references: ['https://cert-manager.io/docs/troubleshooting/'],
  },
  requires: [...replicaFacts, 'certificates', 'version'],
  subjects: examinedBackends,
  run(backend, facts, find, takenAt) {
    const { namespace } = backend;
    const bad = badReplicas(backend, facts, takenAt, inState('volume-missing'));
    if (bad === undefined) {
      const failing = failingRenewal(backend.callout, facts);
      return failing && find('renewalFails', failing.data, failing.evidence);
    }
    const missing = whatIsMissing(bad.first.state.text ?? '', namespace);
    const secret = missing?.startsWith('Secret ') ? missing.slice('Secret '.length) : undefined;
    if (secret === undefined) return undefined;
    const certificate = facts.certificates
      .get(namespace)
      ?.find(({ spec }) => `${namespace}/${spec.secretName}` === secret);
    const ready = conditionOf(certificate?.status?.conditions, 'Ready');
    // A Certificate that is Ready while its Secret is gone is about to be issued again.
    if (certificate === undefined || ready?.status === 'True') return undefined;
    const { name } = certificate.metadata;
    const said = ready?.message ?? 'no controller has looked at it yet';
    const value = ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}: ${said}`;
    const object = { kind: 'Certificate', namespace, name };
    return find(
      bad.extent === 'all' ? 'notReady' : 'some',
      { certificate: `${namespace}/${name}`, secret, said },
      [{ object, field: 'status.conditions[Ready]', value }],
    );
  },
});
