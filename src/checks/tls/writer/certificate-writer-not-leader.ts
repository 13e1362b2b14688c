import { certificateWriterCheck } from './certificate-writer-check.ts';

/** Of an error alone, which names no holder. */
const findHolder =
  '[look] Find the holder of the Lease or lock: `kubectl -n {namespace} get leases,configmaps`. [end] If the holder is a Pod of an earlier revision, delete that Pod: `kubectl -n {namespace} delete pod {pod}`.';

export const certificateWriterNotLeader = certificateWriterCheck({
  id: 'certificate-writer-not-leader',
  title: 'Certificate writer waits for leadership',
  why: 'An operator that signs its own certificate writes Secret and caBundle only as the leader. While another Pod holds the Lease or lock, the new Pod serves a certificate that is published nowhere. The holder can be of an older revision, or already deleted.',
  advice:
    '[end] Delete the Pod that blocks the leadership: `kubectl -n {namespace} delete pod {holder}`. [with] If the Pod stays in Terminating because its machine no longer exists, add `--force --grace-period=0`. [prevent] To prevent this in the next rollout, use the strategy `Recreate`, or let the process release its Lease when it stops.',
  textAdvice: {
    'unknown-authority': findHolder,
    'server-without-certificate': findHolder,
    'ca-not-injected': findHolder,
    'lease-sought': findHolder,
    'lease-not-held': findHolder,
  },
  noRemedy: {
    because: 'the replicas elect the leader themselves: delete the Pod that blocks the election',
  },
  messages: {
    waitsForLease: '{writer} must write the certificate or the caBundle, but waits for {detail}',
    leftLease: {
      text: '{writer} must write the certificate or the caBundle, but waits for the Lease of a Pod that does not exist: {detail}',
      advice:
        '[end] If the Lease has not expired, delete it, because its holder no longer exists: `kubectl -n {namespace} delete lease {lease}`. [look] Otherwise find out why no Pod acquires it: `kubectl -n {namespace} logs {backend}`.',
    },
    waitsForLock: '{writer} must write the certificate or the caBundle, but waits for {detail}',
  },
  references: ['/docs/concepts/architecture/leases/#custom-workload'],
});
