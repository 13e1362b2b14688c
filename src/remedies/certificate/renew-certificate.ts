import { serverHost } from '../../apiserver/routing/server-host.ts';
import { wholeSeconds } from '../../basics/time.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { CertManagerCertificate } from '../../facts/objects/cert-manager.ts';
import { issuerProblem } from '../../facts/objects/issuer-problem.ts';
import type { Condition } from '../../facts/objects/metadata.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { leaderlessLease } from '../../facts/workloads/leaders.ts';
import { conditionOf } from '../../facts/workloads/pod-state.ts';
import { namedList } from '../../phrases/lists.ts';
import { certManagerController } from '../../products/ca-injectors.ts';
import { defineRemedy } from '../remedy.ts';

const isIssuing = ({ type, status }: Condition): boolean => type === 'Issuing' && status === 'True';

/** The condition that `cmctl renew` sets (cert-manager pkg/api/util SetCertificateCondition). */
function issuing(
  { metadata }: CertManagerCertificate,
  takenAt: string,
): Condition & { readonly observedGeneration?: number } {
  const { generation } = metadata as { readonly generation?: number };
  return {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'Certificate re-issuance manually triggered',
    lastTransitionTime: wholeSeconds(takenAt),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** Why cert-manager would not issue it, or issues it anyway. */
function reasonAgainst(
  { metadata, spec, status }: CertManagerCertificate,
  issuerError: ReturnType<typeof issuerProblem>,
  facts: Pick<Facts, 'leases' | 'secrets' | 'takenAt'>,
): string | undefined {
  if (status?.conditions?.some(isIssuing))
    return `Certificate ${keyOf(metadata)} is being issued already: \`kubectl -n ${metadata.namespace} describe certificate,certificaterequest\` shows the reason.`;
  const { lease, log } = certManagerController;
  const stopped = leaderlessLease(lease, facts);
  if (stopped !== undefined)
    return `The controller of cert-manager does not run (Lease ${keyOf(lease)}: ${stopped.value}). Start it; it renews an expired Certificate by itself: \`kubectl -n ${log.place} scale ${log.affected} --replicas=1\`.`;
  const secret = keyOf({ namespace: metadata.namespace, name: spec.secretName ?? '' });
  const isGone = facts.secrets.isAbsent(secret);
  // Its controller sets Ready to False within seconds (cert-manager pkg/controller/certificates/readiness).
  if (isGone && conditionOf(status?.conditions, 'Ready')?.status === 'True')
    return `Certificate ${keyOf(metadata)} is Ready although its Secret is missing: the controller of cert-manager does not work. Check that it runs: \`kubectl -n ${log.place} get deployments,pods\`.`;
  return issuerError?.isAbsent === true
    ? `${issuerError.text}: cert-manager issues Certificate ${keyOf(metadata)} by itself when it exists.`
    : undefined;
}

export const renewCertificate = defineRemedy({
  meta: {
    id: 'renew-certificate',
    title: 'Renew the serving certificate with cert-manager',
    risk: 'safe',
    does: 'Sets the Issuing condition of the Certificate, as `cmctl renew` does: cert-manager requests a new certificate from the issuer and writes it to the Secret.',
    leaves:
      'An issuer that does not issue, and a server that does not reload its Secret: restart that workload. An issued certificate stays after an undo.',
    answers: [
      'serving-certificate-expired',
      'serving-certificate-expiring',
      'serving-certificate-name-mismatch',
      'certificate-not-issued',
      'serving-secret-missing',
    ],
    touches: [{ operation: 'patch', kinds: ['Certificate'], subresource: 'status' }],
  },
  about: 'service-backed',
  requires: ['certificates', 'issuers', 'leases', 'secrets'],
  plan({ callout }, facts) {
    const { namespace } = callout.client.service;
    const host = serverHost(callout) ?? '';
    const fitting = (facts.certificates.get(namespace) ?? []).filter(({ spec }) =>
      spec.dnsNames?.includes(host),
    );
    const [only, ...others] = fitting;
    if (only === undefined) return undefined;
    if (others.length > 0) {
      const names = namedList(
        'Certificate',
        fitting.map(({ metadata }) => metadata.name),
      );
      return `${names} are all for ${host}; it is unknown which of them is served.`;
    }
    const issuerError = issuerProblem(only, facts);
    const objection = reasonAgainst(only, issuerError, facts);
    if (objection !== undefined) return objection;
    const conditions = only.status?.conditions;
    const kept = (conditions ?? []).filter(({ type }) => type !== 'Issuing');
    return {
      summary: `cert-manager issues Certificate ${keyOf(only.metadata)} again`,
      unsure: issuerError?.text,
      warnings: [issuerError && `${issuerError.text}: cert-manager cannot issue it until that is fixed.`],
      edits: [
        {
          object: { kind: 'Certificate', namespace, name: only.metadata.name },
          operation: 'patch',
          path: '/status/conditions',
          subresource: 'status',
          expected: conditions,
          after: [...kept, issuing(only, facts.takenAt)],
        },
      ],
    };
  },
});
