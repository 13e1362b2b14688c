import { anchorsAt } from '../../../apiserver/certificate/anchors.ts';
import { durationText } from '../../../phrases/durations.ts';
import {
  anchorsOf,
  certificateName,
  dayOf,
  validityEvidence,
  verified,
} from '../../../serving-certificates/chains.ts';
import { isSoon } from '../../../serving-certificates/remaining-life.ts';
import { defineCheck } from '../../check.ts';

export const caBundleExpiring = defineCheck({
  meta: {
    id: 'ca-bundle-expiring',
    title: 'caBundle expires soon',
    severity: 'warning',
    why: 'Once no certificate in the caBundle is valid, every call fails, even with a valid serving certificate. The warning starts when less than 30 days and less than a fifth of the lifetime are left of the certificate that expires last.',
    advice:
      '[look] If cert-manager or another operator renews the CA, find out why it has not: `kubectl -n {issuing} get certificate,issuer`. [end] If nothing renews it, renew it yourself, and add the new certificate to `caBundle` next to the old one: `kubectl edit {kind} {configuration}`. [end] Then issue the serving certificate from the new CA, before the old one expires.',
    messages: {
      expiring: 'caBundle expires in {left}, on {day}: {name}',
      lastOf: 'The last of {count} certificates in the caBundle expires in {left}, on {day}: {name}',
    },
    references: ['https://cert-manager.io/docs/configuration/ca/#important-information'],
  },
  requires: ['callouts', 'version'],
  subjects: verified,
  run(callout, { version, takenAt }, find) {
    const now = Date.parse(takenAt);
    const { valid, notYetValid } = anchorsAt(anchorsOf(callout, version), takenAt);
    const [last] = valid.toSorted((a, b) => b.notAfter.at - a.notAfter.at);
    // A CA that becomes valid before the last one expires.
    if (last === undefined || notYetValid.some(({ notBefore }) => notBefore.at <= last.notAfter.at))
      return undefined;
    if (!isSoon(last, now)) return undefined;
    const data = {
      left: durationText(last.notAfter.at - now),
      day: dayOf(last.notAfter),
      name: certificateName(last),
    };
    const evidence = validityEvidence(callout, [last]);
    const count = valid.length;
    return count === 1 ? find('expiring', data, evidence) : find('lastOf', { ...data, count }, evidence);
  },
});
