import { lookedAt } from '../../serving-certificates/chains.ts';
import { materialFacts, servingSecrets } from '../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../check.ts';

export const servingSecretMissing = defineCheck({
  meta: {
    id: 'serving-secret-missing',
    link: 'tls',
    title: 'Secret with the serving certificate does not exist',
    severity: 'error',
    explains: { 'server-without-certificate': 3, 'certificate-file-missing': 1, 'volume-not-mounted': 2 },
    why: 'Running Pods keep what they have loaded. A Pod that starts now waits in ContainerCreating for the Secret: the next eviction, scale-up or node failure causes an outage.',
    advice:
      'Find its issuer, and let it create the Secret again: cert-manager (`kubectl -n {namespace} get certificate`), a Job of the chart (`kubectl -n {namespace} get jobs`), or the operator of the product.',
    messages: {
      missing: '{kept}, which volume {volume} mounts at {path}, does not exist',
    },
    follows: [
      'replica-volume-missing',
      'certificate-not-issued',
      'certificate-job-failed',
      'certificate-writer-not-running',
      'ca-bundle-overwritten',
      'certificate-writer-not-leader',
      'service-account-lacks-rights',
    ],
    references: ['/docs/concepts/configuration/secret/#restriction-secret-must-exist'],
  },
  requires: ['callouts', 'probes', ...materialFacts],
  subjects: lookedAt,
  run(callout, facts, find) {
    const missing = servingSecrets(callout, facts).find(
      ({ secret, unread, source }) =>
        secret === undefined && unread === undefined && source !== undefined && !source.optional,
    );
    if (missing?.source === undefined) return undefined;
    const { kind, kept, source, namespace, name } = missing;
    return find('missing', { kept, volume: source.volume, path: source.mountPath }, [
      { object: { kind, namespace, name }, value: 'not found' },
    ]);
  },
});
