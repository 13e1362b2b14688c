import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { keyOf } from '../../facts/objects.ts';
import { replicaPods } from '../../facts/replicas.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

/**
 * Errors of Go (crypto/tls X509KeyPair), OpenSSL, Java and Rust about a certificate and a key that do not
 * match.
 */
const mismatch =
  /private key (?:type )?does not match public key|key values mismatch|KEY_VALUES_MISMATCH|private key .{0,40}not match.{0,40}certificate|KeyMismatch/i;

export const servingSecretMismatchedKey = defineCheck({
  meta: {
    id: 'serving-secret-mismatched-key',
    title: 'Certificate and private key do not match',
    severity: 'error',
    consequence: 'failing',
    confidence: 'observed',
    explains: { 'key-pair-unreadable': 1 },
    why: 'A process cannot start with a private key that does not match its certificate. This program never reads private keys: it quotes what the process logged before it exited.',
    advice:
      'If cert-manager fills the Secret, it issues the certificate again by itself. Otherwise write the certificate and the key of one issuance in one update of the Secret (of type `kubernetes.io/tls`): `kubectl -n {namespace} create secret tls {secret} --cert server.crt --key server.key --dry-run=client -o yaml | kubectl apply -f -`. The kubelet then restarts the container by itself.',
    noRemedy: 'needs-its-authority',
    messages: {
      mismatch: '{pod} exited because its certificate and its private key do not match: {detail}',
    },
    references: [
      '/docs/concepts/configuration/secret/#tls-secrets',
      'https://cert-manager.io/docs/faq/#when-do-certs-get-re-issued',
    ],
  },
  requires: ['callouts', 'services', 'pods', 'logs'],
  subjects: examinedBackends,
  run({ key }, { pods, logs }, find) {
    for (const pod of replicaPods(pods.get(key) ?? [])) {
      const ready = pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      for (const { name } of ready ? [] : pod.spec.containers) {
        const at = `${keyOf(pod.metadata)}/${name}`;
        const detail = (logs.getIfKnown(at) ?? '').split('\n').find((line) => mismatch.test(line));
        if (detail === undefined) continue;
        return find(
          'mismatch',
          { pod: `Pod ${pod.metadata.name}`, detail: brief(detail) },
          [{ object: refOfPod(pod), field: `log of ${name}`, value: detail }],
          { secret: undefined },
        );
      }
    }
    return undefined;
  },
});
