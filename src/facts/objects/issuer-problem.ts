import type { Evidence } from '../evidence.ts';
import type { Facts } from '../snapshot.ts';
import { conditionOf } from '../workloads/pod-state.ts';
import { type CertManagerCertificate, issuerKey, issuerOf } from './cert-manager.ts';

/** Why an issuer does not sign certificates. */
export interface IssuerProblem {
  /** A clause: `Issuer shop/ca does not exist`. */
  readonly text: string;
  readonly evidence: Evidence;
  /** The issuer does not exist. */
  readonly isAbsent?: true;
}

/**
 * Why the issuer of a Certificate does not sign it: cert-manager waits until the issuer exists and is Ready
 * (pkg/controller/certificaterequests/sync.go). Undefined if no problem is known.
 */
export function issuerProblem(
  certificate: CertManagerCertificate,
  { issuers }: Pick<Facts, 'issuers'>,
): IssuerProblem | undefined {
  const ref = issuerOf(certificate);
  const key = ref === undefined ? '' : issuerKey(ref);
  if (ref === undefined || !issuers.known(key)) return undefined;
  const issuer = issuers.get(key);
  if (issuer === undefined) {
    return { text: `${key} does not exist`, evidence: { object: ref, value: 'not found' }, isAbsent: true };
  }
  const ready = conditionOf(issuer.status?.conditions, 'Ready');
  if (ready?.status === 'True') return undefined;
  const reason = ready === undefined ? undefined : (ready.message ?? ready.reason ?? 'no reason given');
  return {
    text: reason === undefined ? `no controller has processed ${key} yet` : `${key} is not Ready: ${reason}`,
    evidence: {
      object: ref,
      field: 'status.conditions[Ready]',
      value: ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}: ${reason}`,
    },
  };
}
