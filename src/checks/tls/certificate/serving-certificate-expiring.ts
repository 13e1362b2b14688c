import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import { clockSkewMilliseconds } from '../../../apiserver/connection/probed-servers.ts';
import { durationText } from '../../../phrases/durations.ts';
import { certificateOwnerText, chainEvidence } from '../../../serving-certificates/certificate-faults.ts';
import {
  chainFacts,
  chainsOf,
  dayOf,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { isSoon } from '../../../serving-certificates/remaining-life.ts';
import { renewalOf } from '../../../serving-certificates/renewed-by.ts';
import { defineCheck } from '../../check.ts';

export const servingCertificateExpiring = defineCheck({
  meta: {
    id: 'serving-certificate-expiring',
    title: 'Serving certificate expires soon',
    severity: 'warning',
    why: 'Once it expires, every new connection fails. The warning starts when less than 30 days and less than a fifth of the lifetime are left, or later where its renewer acts later. By default, cert-manager renews after two thirds.',
    advice:
      '[look] If cert-manager renews it, find out why it has not: `kubectl -n {issuing} get certificate,certificaterequest`. [end] If no process renews it, issue a new one, and let cert-manager or the rotator of the product renew it from then on.',
    messages: {
      renewed: '{certificate} expires in {left}, on {day}; {by} renews it and has not yet',
      upgrade: {
        text: '{certificate} expires in {left}, on {day}; {by} renews it only at an upgrade',
        advice:
          '[end] Run `helm upgrade`, or a sync of the chart, before that day. [end] If the Secret does not change, delete it before the next upgrade. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      nobody: '{certificate} expires in {left}, on {day}, and no process renews it',
      unknown: '{certificate} expires in {left}, on {day}; unknown: its renewal',
    },
    references: ['https://cert-manager.io/docs/usage/certificate/#renewal-reissuance'],
  },
  requires: [...chainFacts, 'certificates'],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const now = Date.parse(facts.takenAt) + clockSkewMilliseconds(facts);
    const chains = chainsOf(callout, facts);
    const { kind, by, lead } = renewalOf(callout, facts);
    const ending = chains.flatMap((chain) =>
      parseChain(chain.presented, facts.version).flatMap((certificate) =>
        certificate !== undefined && isSoon(certificate, now, lead) ? [{ chain, certificate }] : [],
      ),
    );
    const first = ending.toSorted((a, b) => a.certificate.notAfter.at - b.certificate.notAfter.at)[0];
    if (first === undefined) return undefined;
    const having = [...new Set(ending.map(({ chain }) => chain))];
    const { notAfter } = first.certificate;
    const data = {
      certificate: certificateOwnerText(having, chains),
      left: durationText(notAfter.at - now),
      day: dayOf(notAfter),
    };
    const evidence = having.slice(0, 4).map((chain) => chainEvidence(chain, facts.version));
    const { confidence } = first.chain;
    switch (kind) {
      case 'process':
        return find('renewed', { ...data, by }, evidence, confidence);
      case 'upgrade':
        return find('upgrade', { ...data, by }, evidence, confidence);
      default:
        return find(kind, data, evidence, confidence);
    }
  },
});
