import { defineCheck } from '../check.ts';

export const apiserviceTlsSkipped = defineCheck({
  meta: {
    id: 'apiservice-tls-skipped',
    title: 'API server does not verify the APIService backend',
    severity: 'info',
    why: 'With `insecureSkipTLSVerify` any certificate is accepted. An attacker in the network can take the place of the backend and read its requests, with the users’ identities in `X-Remote-User` and `X-Remote-Group`. An expired certificate, or one for another name, is not noticed.',
    advice:
      '[look] Check whether the API server would accept the certificate: `kubectl webhook cert-check {configuration}`. [end] Set `spec.caBundle` to the CA that signs it, and remove `insecureSkipTLSVerify`: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'a-decision',
    messages: { skipped: '{api} is called without TLS verification: insecureSkipTLSVerify is true' },
    references: ['/docs/tasks/extend-kubernetes/setup-extension-api-server/'],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter((callout) => callout.kind === 'aggregated-api'),
  run({ ref, configuration, insecureSkipTLSVerify }, _facts, find) {
    if (!insecureSkipTLSVerify) return undefined;
    return find('skipped', { api: configuration }, [
      { object: ref, field: 'spec.insecureSkipTLSVerify', value: 'true' },
    ]);
  },
});
