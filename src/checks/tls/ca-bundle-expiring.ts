import { anchorsAt } from '../../apiserver/certificate/anchors.ts';
import { anchorsOf, datesSaid, dayOf, nameOf, verified } from '../../serving-certificates/ca-bundle.ts';
import { isSoon, lastDays, leftText } from '../../serving-certificates/remaining-life.ts';
import { defineCheck } from '../check.ts';

export const caBundleExpiring = defineCheck({
  meta: {
    id: 'ca-bundle-expiring',
    link: 'tls',
    title: 'The caBundle expires soon',
    severity: 'warning',
    why: `Once no certificate in the caBundle is valid any more, every call fails, however good the serving certificate is. Told when less than ${lastDays} days and less than a fifth of the certificate's life are left, and nothing in the bundle lives longer.`,
    advice:
      'Renew the authority and put the new certificate into `caBundle` beside the old one. Where cert-manager or another operator renews it, see why it has not: it should have by now.',
    messages: {
      expiring: 'The caBundle expires in {left}, on {day}: {name}',
      lastOf: 'The last of {count} certificates in the caBundle expires in {left}, on {day}: {name}',
    },
  },
  requires: ['callouts', 'version'],
  subjects: verified,
  run(callout, { version, takenAt }, find) {
    const now = Date.parse(takenAt);
    const { valid, notYetValid } = anchorsAt(anchorsOf(callout, version), takenAt);
    const [last] = valid.toSorted((a, b) => b.notAfter.at - a.notAfter.at);
    // One that takes over in time.
    if (last === undefined || notYetValid.some(({ notBefore }) => notBefore.at <= last.notAfter.at))
      return undefined;
    if (!isSoon(last, now)) return undefined;
    const data = { left: leftText(last.notAfter.at - now), day: dayOf(last.notAfter), name: nameOf(last) };
    const evidence = datesSaid(callout, [last]);
    const count = valid.length;
    return count === 1 ? find('expiring', data, evidence) : find('lastOf', { ...data, count }, evidence);
  },
});
