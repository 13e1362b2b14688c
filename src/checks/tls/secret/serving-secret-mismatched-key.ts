import { examinedBackends } from '../../../apiserver/routing/backends.ts';
import { exitReason } from '../../../apiserver/sentences/logs/log-lines.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { servingSources } from '../../../facts/objects/serving-source.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { isCrashing, lastingStatuses } from '../../../facts/workloads/container-crash.ts';
import { logEvidence, logLines, logOf } from '../../../facts/workloads/pod-logs.ts';
import { isPodReady } from '../../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../../facts/workloads/replicas.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { defineCheck } from '../../check.ts';
import { secretFromFiles } from './secret-from-files.ts';

/** Errors of Go (crypto/tls X509KeyPair), OpenSSL, Java and Rust about an unmatched certificate and key. */
const mismatch =
  /private key (?:type )?does not match public key|key values mismatch|KEY_VALUES_MISMATCH|private key .{0,40}not match.{0,40}certificate|KeyMismatch/i;

/** Errors of Go (crypto/tls) and OpenSSL about a key that is encrypted, or of another format. */
const unreadable = /tls: failed to parse private key|\bbad decrypt\b|PEM_read_bio_PrivateKey\(\) failed/;

/** True if a process exited because of its key: it may continue without another one, such as that of a client. */
function exitedByKey(
  { pod, container, line }: { readonly pod: Pod; readonly container: string; readonly line: string },
  facts: Pick<Facts, 'logs' | 'takenAt'>,
): boolean {
  const status = lastingStatuses(pod).find(({ name }) => name === container);
  return (
    (status === undefined || isCrashing(status, facts.takenAt)) &&
    unreadable.test(exitReason(logOf(pod, container, facts)) ?? line)
  );
}

export const servingSecretMismatchedKey = defineCheck({
  meta: {
    id: 'serving-secret-mismatched-key',
    title: 'Private key is unreadable or does not match',
    consequence: 'failing',
    confidence: 'observed',
    why: 'A process cannot start with a private key that it cannot parse, or that does not match its certificate. This program never reads private keys: it quotes the log of the process before its exit.',
    advice: `[end] If cert-manager fills the Secret, it issues the certificate again by itself. [end] Otherwise write a matching certificate and key in one update of the Secret: ${secretFromFiles} [with] The kubelet then restarts the container by itself.`,
    noRemedy: 'needs-its-authority',
    messages: {
      unreadable: {
        text: '{pod} exited because it cannot read its private key: {detail}',
        advice: `[end] If the key has a passphrase, decrypt it: \`openssl pkey -in server.key -out tls.key\`. [end] Write the key and its certificate in one update of the Secret: ${secretFromFiles} [with] The kubelet then restarts the container by itself.`,
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
      .find((one) => mismatch.test(one.line) || (unreadable.test(one.line) && exitedByKey(one, facts)));
    if (logged === undefined) return undefined;
    const { pod, container, line } = logged;
    const [source, another] = servingSources(pod, undefined).filter(({ kind }) => kind === 'Secret');
    const secret = another === undefined ? source?.name : undefined;
    const data = { pod: `Pod ${pod.metadata.name}`, detail: brief(line) };
    const messageId = mismatch.test(line) ? 'mismatch' : 'unreadable';
    return find(messageId, data, [logEvidence(refOfPod(pod), container, line)], { secret });
  },
});
