import { textRow } from './row.ts';

/** Leader election. */
export const leaseTexts = [
  textRow('lease-not-stored', 'replica', {
    pattern: /\b(?:lock|lease|leader election record)\b.{0,200}\betcdserver: /i,
    says: 'Failed to update lock: etcdserver: request timed out',
    means:
      'The API server could not store the Lease, because etcd did not respond in time. A process that cannot renew its Lease exits and starts again. Examine etcd first: its disks, its network and the number of its members.',
    next: ['kubectl get --raw "/readyz?verbose"'],
  }),
  textRow('lease-not-found', 'replica', {
    pattern:
      /^(?!.*\b(?:node lease|kube-node-lease)\b).*\bleases?\.coordination\.k8s\.io \\*"[\w.-]+\\*" not found/,
    says: 'Error getting Admission Controller status: leases.coordination.k8s.io "policy" not found',
    means:
      'The Lease does not exist. The program that creates and renews it does not run, did not start yet, or is not permitted to write Leases.',
    next: ['kubectl get leases -A'],
  }),
  textRow('lease-sought', 'replica', {
    pattern: /attempting to acquire leader lease|Trying to become the leader|Found existing lock\b/i,
    says: 'attempting to acquire leader lease policy/policy-leader...',
    means:
      'The process tries to become the leader, as every candidate does; that it succeeds is a later line. A lock in a ConfigMap belongs to its Pod until that Pod is deleted.',
    next: ['kubectl -n NAMESPACE get leases,configmaps'],
  }),
  textRow('lease-not-held', 'replica', {
    pattern:
      /failed to (?:renew|update|acquire) (?:lease|lock)\b|leader election lost|has stopped leading|error (?:initially creating|retrieving) (?:leader election record|resource lock)|error retrieving resource lock|lock is held by|Webhook leader elected|Not the leader\b/i,
    says: 'failed to renew lease policy/policy-leader: timed out waiting for the condition',
    means:
      'The process is not the leader, or lost the Lease. If the webhook or its certificates depend on leadership, this Pod does not serve. A lock in a ConfigMap belongs to its Pod until that Pod is deleted.',
    next: ['kubectl -n NAMESPACE get leases,configmaps'],
  }),
];
