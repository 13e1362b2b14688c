import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import { ownRefuser } from '../../../apiserver/deadlock/refused-creation.ts';
import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import { unique } from '../../../basics/collections.ts';
import { secondsSince } from '../../../basics/time.ts';
import type { Callout } from '../../../facts/callout.ts';
import { type Evidence, nameIn } from '../../../facts/evidence.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { CertManagerCertificate } from '../../../facts/objects/cert-manager.ts';
import { issuerProblem } from '../../../facts/objects/issuer-problem.ts';
import type { Workload } from '../../../facts/objects/workload.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { conditionOf } from '../../../facts/workloads/pod-state.ts';
import { refOfWorkload, wantedPods, workloadArgument } from '../../../facts/workloads/workloads.ts';
import { backendPodFacts, badReplicas, inState } from '../../../pods/bad-replicas.ts';
import { type ChainFacts, knownChains } from '../../../serving-certificates/chains.ts';
import { certificateFor } from '../../../serving-certificates/renewed-by.ts';
import { servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, latent } from '../../check.ts';
import { missingVolume } from '../../replica/pod-start/replica-volume-missing.ts';

/** Evidence for the condition Ready of a Certificate, and for the reason why its issuer cannot sign. */
function orderOf(certificate: CertManagerCertificate, facts: Pick<Facts, 'issuers'>) {
  const { namespace, name } = certificate.metadata;
  const ready = conditionOf(certificate.status?.conditions, 'Ready');
  const renewal = conditionOf(certificate.status?.conditions, 'Issuing')?.message;
  // That it has expired is no reason.
  const said = (ready?.reason === 'Expired' ? renewal : undefined) ?? ready?.message ?? ready?.reason;
  const detail = ready === undefined ? 'no controller has processed it yet' : (said ?? 'no reason given');
  const issuerError = issuerProblem(certificate, facts);
  const object = { kind: 'Certificate', name, ...(namespace === undefined ? {} : { namespace }) };
  const value = ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}: ${detail}`;
  return {
    certificate: keyOf(certificate.metadata),
    ready: ready?.status,
    // Without its issuer, the Certificate only reports that it is being issued.
    detail: issuerError?.text ?? detail,
    issuerError,
    evidence: [
      { object, field: 'status.conditions[Ready]', value },
      ...(issuerError === undefined ? [] : [issuerError.evidence]),
    ],
  };
}

/** The condition Ready of a Certificate until its first Secret exists (cert-manager trigger policies). */
const issuing = 'Issuing certificate as Secret does not exist';

/** The Secret that an Issuer of a CA does not find in its namespace (cert-manager pkg/issuer/ca/setup.go). */
const caSecret = /^Issuer \S+ is not Ready: .*\bsecrets? "(?<missing>[^"]+)" not found/;

/** The most Certificates in a chain of issuers: those of a server, of its CA, and of the root. */
const longestChain = 3;

/**
 * True if only the Secret is missing: no problem of the issuer but that its own Secret is missing in the same way, and no
 * failed request.
 */
function isBeingIssued(
  certificate: CertManagerCertificate,
  facts: Pick<Facts, 'certificates' | 'issuers'>,
  longest = longestChain,
): boolean {
  const { conditions } = certificate.status ?? {};
  if (conditionOf(conditions, 'Ready')?.message !== issuing) return false;
  if (conditionOf(conditions, 'Issuing')?.status === 'False' || longest === 0) return false;
  const problem = issuerProblem(certificate, facts);
  if (problem === undefined) return true;
  const { missing } = caSecret.exec(problem.text)?.groups ?? {};
  const ofCa = facts.certificates
    .getIfKnown(certificate.metadata.namespace ?? '')
    ?.find(({ spec }) => spec.secretName === missing);
  return ofCa !== undefined && isBeingIssued(ofCa, facts, longest - 1);
}

/** Seconds after which a renewal that has not begun is missed: cert-manager sets Issuing within seconds of its time. */
const missedSeconds = 3600;

/** The time at which the renewal was due; undefined if it is not missed, in progress, or failed. */
function overdue({ status }: CertManagerCertificate, takenAt: string): string | undefined {
  const { conditions, renewalTime } = status ?? {};
  const isMissed = (secondsSince(renewalTime, takenAt) ?? 0) > missedSeconds;
  return isMissed && conditionOf(conditions, 'Issuing') === undefined ? renewalTime : undefined;
}

/**
 * The only Deployment of cert-manager's controller, by the labels of its charts, if it is scaled to zero. Its namespace
 * is that of its webhook; undefined if webhooks of several namespaces show several installations, or none.
 */
function stoppedController({
  callouts,
  workloads,
}: Pick<Facts, 'callouts' | 'workloads'>): Workload | undefined {
  const webhooks = callouts.filter(({ webhook }) => webhook === 'webhook.cert-manager.io');
  const [place, ...elsewhere] = unique(webhooks.map(({ client }) => client.service?.namespace));
  if (place === undefined || elsewhere.length > 0) return undefined;
  const [first, ...others] = (workloads.getIfKnown(place) ?? []).filter(
    ({ kind, metadata: { labels = {} } }) => {
      const component = labels['app.kubernetes.io/component'] ?? 'controller';
      const isOfProduct = labels['app.kubernetes.io/name'] === 'cert-manager';
      return kind === 'Deployment' && isOfProduct && component === 'controller';
    },
  );
  return first !== undefined && others.length === 0 && wantedPods(first) === 0 ? first : undefined;
}

/** The Certificate of an existing Secret, if its renewal fails or will fail. */
function failingRenewal(
  callout: Callout,
  facts: ChainFacts & Pick<Facts, 'certificates' | 'issuers' | 'takenAt' | 'workloads'>,
) {
  const serving = servingSecret(callout, facts);
  const [leaf] = serving === undefined ? [] : parseChain(serving.chain, facts.version);
  const found = serving && certificateFor(serving, facts);
  if (serving === undefined || leaf === undefined || found === undefined) return undefined;
  const { certificate, ready, detail, issuerError, evidence } = orderOf(found, facts);
  const isAccepted = knownChains(callout, facts).some(({ verdict }) => verdict.outcome === 'accepted');
  const isOver = leaf.notAfter.at < Date.parse(facts.takenAt) && !isAccepted;
  const data = { certificate, secret: serving.key, day: leaf.notAfter.text.slice(0, 10) };
  const kept = { data: { ...data, detail }, evidence, isOver };
  if (ready === 'False') return { ...kept, message: 'renewalFails' } as const;
  if (ready === 'True' && issuerError !== undefined) return { ...kept, message: 'issuerFails' } as const;
  const due = overdue(found, facts.takenAt);
  if (due === undefined) return undefined;
  const shown = evidence
    .slice(0, 1)
    .map(({ object }) => ({ object, field: 'status.renewalTime', value: due }));
  const late = { ...kept, data: { ...data, detail: due.slice(0, 10) } };
  const stopped = stoppedController(facts);
  if (stopped === undefined) return { ...late, message: 'notRenewed', evidence: shown } as const;
  const atZero = { object: refOfWorkload(stopped), field: 'spec.replicas', value: '0' };
  const names = { place: stopped.metadata.namespace, affected: workloadArgument(atZero.object) };
  return { ...late, message: 'controllerStopped', evidence: [...shown, atZero], names } as const;
}

/** The Secret that a ClusterIssuer does not find (cert-manager pkg/issuer/ca/setup.go). */
const clusterSecret = /(?<issuer>ClusterIssuer \S+) is not Ready: .*\bsecrets? "(?<missing>[^"]+)" not found/;

/** cert-manager issues in seconds, and the kubelet mounts the Secret within two minutes after that. */
const reissueSeconds = { ofMissing: 15, ofMounted: 130 };

const certificateIn = (evidence: readonly Evidence[]) => ({ certificate: nameIn(evidence, 'Certificate') });

export const certificateNotIssued = defineCheck({
  meta: {
    id: 'certificate-not-issued',
    title: 'cert-manager has not issued the serving certificate',
    consequence: 'failing',
    why: 'The Pods mount the Secret into which cert-manager writes their serving certificate. Without the Secret, the kubelet cannot start them; without a renewal, calls fail when the certificate in it expires.',
    advice:
      '[look] Read why the Certificate is not issued: `kubectl -n {namespace} describe certificate {certificate}`. [look] Read the state of its issuer: `kubectl -n {issuing} get certificaterequest,issuer,clusterissuer`. [end] Create or fix the issuer that the Certificate names. [end] If the cert-manager controller does not run, fix that first.',
    messages: {
      notReady: 'Certificate {certificate} is not Ready, so Secret {secret} is missing: {detail}',
      noIssuer: {
        text: 'Certificate {certificate} is not Ready, so Secret {secret} is missing: {detail}',
        advice:
          '[end] Create the issuer, or correct `issuerRef` of the Certificate: `kubectl -n {namespace} edit certificate {certificate}`. [see] To list the existing issuers: `kubectl -n {issuing} get issuer,clusterissuer`.',
      },
      clusterSecret: {
        text: 'Certificate {certificate} is not Ready, so Secret {secret} is missing: {issuer} does not find its Secret {missing}',
        advice:
          '[with] cert-manager reads the Secrets of a ClusterIssuer only in its own namespace, unless its flag `--cluster-resource-namespace` names another one. [look] Find the Secret: `kubectl get secrets -A --field-selector metadata.name={missing}`. [end] Create the Secret in the namespace of the cert-manager controller: `kubectl get deployments -A -l app.kubernetes.io/name=cert-manager`.',
      },
      notAgain: {
        text: 'Certificate {certificate} is Ready, but its Secret {secret} is missing: cert-manager does not create it again',
        advice:
          '[look] Check whether the controller of cert-manager runs: `kubectl get deployments,pods -A -l app.kubernetes.io/name=cert-manager`. [look] If the controller runs, read its log.',
      },
      renewalFails: latent(
        'Certificate {certificate} is not Ready: {detail}; Secret {secret} holds a certificate until {day}',
      ),
      notRenewed: latent(
        'The controller of cert-manager has not begun to renew Certificate {certificate}, due on {detail}; Secret {secret} holds a certificate until {day}',
        '[look] Check whether the controller of cert-manager runs: `kubectl get deployments,pods -A -l app.kubernetes.io/name=cert-manager`. [look] If the controller runs, read its log. [end] If the Deployment of the controller is scaled to zero, scale it up. [with] The controller then renews the certificate by itself.',
      ),
      controllerStopped: latent(
        'The controller of cert-manager is scaled to zero: Certificate {certificate} was due for renewal on {detail}; Secret {secret} holds a certificate until {day}',
        '[end] Start the controller: `kubectl -n {place} scale {affected} --replicas=1`. [with] The controller then renews the certificate by itself.',
      ),
      issuerFails: latent(
        'Certificate {certificate} is issued, but cannot be renewed: {detail}; Secret {secret} holds a certificate until {day}',
      ),
      some: latent(
        'Certificate {certificate} is not Ready, so Secret {secret} is missing: {detail}; other Pods serve requests',
      ),
    },
    references: ['https://cert-manager.io/docs/troubleshooting/'],
  },
  requires: [
    ...backendPodFacts,
    'configMaps',
    'version',
    'clock',
    'probes',
    'certificates',
    'issuers',
    'workloads',
    'namespaces',
    'served',
  ],
  subjects: examinedBackends,
  run(backend, facts, find) {
    const { namespace } = backend;
    const bad = badReplicas(backend, facts, inState('volume-missing'));
    if (bad === undefined) {
      const failing = failingRenewal(backend.callout, facts);
      if (failing === undefined) return undefined;
      const { message, data, evidence, isOver } = failing;
      const names = 'names' in failing ? failing.names : undefined;
      const finding = find(message, data, evidence, { ...certificateIn(evidence), ...names });
      // The certificate has expired: this is the reason why calls fail.
      return isOver ? { ...finding, severity: 'error', consequence: 'failing' } : finding;
    }
    const missing = missingVolume(bad.first.state.text ?? '', namespace);
    if (missing?.kind !== 'Secret') return undefined;
    const secret = keyOf(missing);
    const certificate = facts.certificates
      .get(namespace)
      ?.find(({ spec }) => spec.secretName === missing.name);
    if (certificate === undefined) return undefined;
    const { certificate: name, ready, detail, evidence } = orderOf(certificate, facts);
    const waits = secondsSince(bad.first.pod.metadata.creationTimestamp, facts.takenAt) ?? 0;
    const isGone = facts.secrets.isAbsent(secret);
    if (ready === 'True' && waits < reissueSeconds[isGone ? 'ofMissing' : 'ofMounted']) return undefined;
    // The own webhook refuses the Secret: replica-volume-missing reports that.
    if (bad.extent === 'all' && isBeingIssued(certificate, facts)) {
      if (ownRefuser(backend.callout, missing, facts) !== undefined) return undefined;
    }
    const { issuer, missing: unfound } = clusterSecret.exec(detail)?.groups ?? {};
    if (issuer !== undefined && unfound !== undefined && bad.extent === 'all')
      return find('clusterSecret', { certificate: name, secret, issuer, missing: unfound }, evidence, {
        missing: unfound,
      });
    const waiting = issuerProblem(certificate, facts)?.isAbsent === true ? 'noIssuer' : 'notReady';
    const ofAll = ready === 'True' ? 'notAgain' : waiting;
    return find(
      bad.extent === 'all' ? ofAll : 'some',
      { certificate: name, secret, detail },
      evidence,
      certificateIn(evidence),
    );
  },
});
