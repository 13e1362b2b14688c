import { advise } from '../../facts/advice.ts';
import { defineCheck } from '../check.ts';

export const apiserviceTlsSkipped = defineCheck({
  meta: {
    id: 'apiservice-tls-skipped',
    link: 'registration',
    title: 'API server does not verify the APIService backend',
    severity: 'info',
    why: 'With `insecureSkipTLSVerify` any certificate is accepted: an attacker in the network can take the place of the backend and read its requests, including users’ identities in the front-proxy headers. An expired certificate, or one for another name, is not noticed.',
    advice: advise`Check whether the certificate would be accepted: ${'kubectl webhook cert-check'}. Set \`spec.caBundle\` to the CA that signs the certificate of the backend, and remove \`insecureSkipTLSVerify\`.`,
    noRemedy: 'a-decision',
    messages: { skipped: '{api} is called without TLS verification: insecureSkipTLSVerify is true' },
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
