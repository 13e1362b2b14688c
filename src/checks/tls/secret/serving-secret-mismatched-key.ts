import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import { servingSources } from '../../../facts/objects/serving-source.ts';
import { logEvidence, logLines } from '../../../facts/workloads/pod-logs.ts';
import { isPodReady } from '../../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../../facts/workloads/replicas.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { defineCheck } from '../../check.ts';

/** Errors of Go (crypto/tls X509KeyPair), OpenSSL, Java and Rust about an unmatched certificate and key. */
const mismatch =
  /private key (?:type )?does not match public key|key values mismatch|KEY_VALUES_MISMATCH|private key .{0,40}not match.{0,40}certificate|KeyMismatch/i;

/** Errors of Go (crypto/tls) and OpenSSL about a key that is encrypted, or of another format. */
const unreadable = /tls: failed to parse private key|\bbad decrypt\b|PEM_read_bio_PrivateKey\(\) failed/;

export const servingSecretMismatchedKey = defineCheck({
  meta: {
    id: 'serving-secret-mismatched-key',
    title: 'Private key is unreadable or does not match',
    consequence: 'failing',
    confidence: 'observed',
    explains: { 'key-pair-mismatched': 1, 'key-pair-unreadable': 2 },
    why: 'A process cannot start with a private key that it cannot parse, or that does not match its certificate. This program never reads private keys: it quotes what the process logged before it exited.',
    advice:
      'If cert-manager fills the Secret, it issues the certificate again by itself. Otherwise write the certificate and the key of one issuance in one update of the Secret (of type `kubernetes.io/tls`): `kubectl -n {namespace} create secret tls {secret} --cert server.crt --key server.key --dry-run=client -o yaml | kubectl apply -f -`. The kubelet then restarts the container by itself.',
    noRemedy: 'needs-its-authority',
    messages: {
      unreadable: {
        text: '{pod} exited because it cannot read its private key: {detail}',
        advice:
          'If the key has a passphrase, decrypt it: `openssl pkey -in server.key -out tls.key`. Write it with its certificate in one update of the Secret: `kubectl -n {namespace} create secret tls {secret} --cert=tls.crt --key=tls.key --dry-run=client -o yaml | kubectl apply -f -`. The kubelet then restarts the container by itself.',
      },
      mismatch: '{pod} exited because its certificate and its private key do not match: {detail}',
    },
    references: [
      '/docs/concepts/configuration/secret/#tls-secrets',
      'https://cert-manager.io/docs/faq/#when-do-certs-get-re-issued',
    ],
  },
  requires: ['callouts', 'services', 'pods', 'logs'],
  subjects: examinedBackends,
  run({ key }, facts, find) {
    const logged = replicaPods(facts.pods.get(key) ?? [])
      .filter((pod) => !isPodReady(pod))
      .flatMap((pod) => logLines(pod, pod.spec.containers, facts))
      .find(({ line }) => mismatch.test(line) || unreadable.test(line));
    if (logged === undefined) return undefined;
    const { pod, container, line } = logged;
    const [source, another] = servingSources(pod, undefined).filter(({ kind }) => kind === 'Secret');
    const secret = another === undefined ? source?.name : undefined;
    const data = { pod: `Pod ${pod.metadata.name}`, detail: brief(line) };
    const messageId = mismatch.test(line) ? 'mismatch' : 'unreadable';
    return find(messageId, data, [logEvidence(refOfPod(pod), container, line)], { secret });
  },
});
