import { advise } from '../../facts/advice.ts';
import { defineCheck } from '../check.ts';

export const apiserviceTlsSkipped = defineCheck({
  meta: {
    id: 'apiservice-tls-skipped',
    link: 'registration',
    title: 'The API server does not verify who serves this API',
    severity: 'info',
    why: 'With `insecureSkipTLSVerify` any certificate is accepted: whoever can take the backend’s place in the network reads and answers its requests, those with users’ credentials in the front-proxy headers included. A certificate that is expired or has the wrong name goes unnoticed.',
    advice: advise`Put the authority that signs the backend’s certificate into \`spec.caBundle\` and remove \`insecureSkipTLSVerify\`. Look first whether the certificate would be accepted: ${'kubectl webhook cert-check'}.`,
    noRemedy: 'a-decision',
    messages: { skipped: '{api} is served without verification: insecureSkipTLSVerify is true' },
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
