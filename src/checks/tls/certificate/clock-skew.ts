import { clockSkewMilliseconds as skewOf } from '../../../apiserver/connection/probed-servers.ts';
import { chainEvidence } from '../../../serving-certificates/certificate-faults.ts';
import {
  chainFacts,
  knownChains,
  verdictOn,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { momentText } from '../../../serving-certificates/moment-text.ts';
import { defineCheck, note } from '../../check.ts';

/** Milliseconds: clocks that are synchronized with a time server differ by less. */
const minimumSkew = 5 * 60 * 1000;

const length = (milliseconds: number): string => {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  if (minutes < 2) return `${Math.round(Math.abs(milliseconds) / 1000)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
};

export const clockSkew = defineCheck({
  meta: {
    id: 'clock-skew',
    title: 'Clocks of the API server and of this machine differ',
    severity: 'warning',
    confidence: 'observed',
    why: 'The API server verifies certificate dates by its own clock, and several API servers may differ from each other. If the clock is behind, new certificates are not valid yet; if it is ahead, valid ones have expired.',
    advice:
      '[look] Check that each control plane node, and this machine, synchronizes its clock: `timedatectl` and `chronyc tracking`.',
    noRemedy: 'in-the-node',
    sharedCause: true,
    messages: {
      decides:
        'The clock of the API server is {length} {direction} that of this machine: the certificate is valid only by {clock}',
      differs: note(
        'The clock of the API server is {length} {direction} that of this machine; no certificate is affected now',
      ),
    },
    references: ['https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5'],
  },
  requires: chainFacts,
  subjects: (facts) => (facts.clock === undefined ? [] : withExaminedCertificates(facts)),
  run(callout, facts, find) {
    const skew = skewOf(facts);
    if (skew === 0) return undefined;
    const text = { length: length(skew), direction: skew > 0 ? 'ahead of' : 'behind' };
    const clocks = {
      object: callout.ref,
      field: 'clocks',
      value: `API server ${facts.clock?.server}, here ${momentText(Date.parse(facts.clock?.here ?? ''))}`,
    };
    const ours = { ...facts, clock: undefined };
    for (const chain of knownChains(callout, facts)) {
      const here = verdictOn(callout, chain.presented, ours).outcome;
      if (here === chain.verdict.outcome) continue;
      const whose =
        chain.verdict.outcome === 'rejected' ? 'the clock of this machine' : 'the clock of the API server';
      return find('decides', { ...text, clock: whose }, [clocks, chainEvidence(chain, facts.version)]);
    }
    return Math.abs(skew) >= minimumSkew ? find('differs', text, [clocks]) : undefined;
  },
});
