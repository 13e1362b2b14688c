import { bundleEvidence, reportedFault } from '../../../serving-certificates/certificate-faults.ts';
import {
  certificateName,
  chainFacts,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { missingLink } from '../../../serving-certificates/missing-link.ts';
import { defineCheck } from '../../check.ts';
import { extents } from './certificate-fault-check.ts';

const either = extents(
  '{certificate} is signed by {issuer}, which neither the server nor the caBundle provides',
);
const found = extents('{certificate} is sent without the intermediate {issuer}, found {where}');

export const intermediateMissing = defineCheck({
  meta: {
    id: 'intermediate-missing',
    title: 'Server does not send an intermediate certificate',
    consequence: 'failing',
    why: 'The API server builds a chain from the certificates that the server sends and those in the caBundle, and downloads none. If a link is in neither, the call fails with `x509: certificate signed by unknown authority`, even with the correct root.',
    advice:
      '[end] Put the serving certificate, and after it every intermediate, into `tls.crt`: `cat server.crt intermediate.crt > tls.crt`. [end] If the process does not load it by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] Or add the intermediate to the caBundle, where every certificate is a trust anchor: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'needs-its-authority',
    messages: {
      all: either.all,
      some: either.some,
      spare: either.spare,
      allFound: found.all,
      someFound: found.some,
      spareFound: found.spare,
    },
    references: [
      'https://pkg.go.dev/net/http#ListenAndServeTLS',
      'https://www.rfc-editor.org/rfc/rfc8446#section-4.4.2',
    ],
  },
  requires: chainFacts,
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const reported = reportedFault(
      callout,
      facts,
      (fault, chain) => missingLink(facts, callout, chain, fault)?.kind === 'intermediate',
    );
    if (reported === undefined) return undefined;
    const { chain, fault } = reported.first;
    const link = missingLink(facts, callout, chain, fault);
    const issuer = fault.certificate?.issuer.commonName ?? '';
    const evidence = [...reported.evidence, ...bundleEvidence(callout, facts.version)];
    if (link?.kind !== 'intermediate' || link.found === undefined) {
      return reported.complete(
        find(reported.extent, { certificate: reported.certificate, issuer }, evidence, reported.confidence),
      );
    }
    const where = link.found.in === undefined ? 'on another replica' : `in ${link.found.in}`;
    const data = {
      certificate: reported.certificate,
      issuer: certificateName(link.found.certificate),
      where,
    };
    return reported.complete(find(`${reported.extent}Found`, data, evidence, reported.confidence));
  },
});
