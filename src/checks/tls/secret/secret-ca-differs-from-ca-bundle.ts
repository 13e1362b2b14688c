import type { Certificate } from '../../../apiserver/certificate/certificate.ts';
import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import { pemCertificates } from '../../../apiserver/certificate/parse/pem.ts';
import { verifyServerCertificate } from '../../../apiserver/certificate/verify/verify-server-certificate.ts';
import { serverHost } from '../../../apiserver/routing/server-host.ts';
import { NotKnown } from '../../../facts/unread.ts';
import { bundleEvidence, described } from '../../../serving-certificates/certificate-faults.ts';
import {
  anchorsOf,
  certificateName,
  chainFacts,
  verdictOn,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { type ServingSecret, servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck } from '../../check.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

interface Beside {
  readonly key: string;
  readonly certificates: readonly Certificate[];
}

/**
 * The CA in the same Secret that signed the certificate. A CA that did not sign it has another purpose,
 * usually client certificates.
 */
function caInSecret(
  serving: ServingSecret,
  host: string,
  now: Date,
  version: string | undefined,
): Beside | undefined {
  for (const [key, pem] of Object.entries(serving.secret?.certificates ?? {})) {
    if (key === serving.certificateKey) continue;
    const verdict = verifyServerCertificate({
      presented: serving.chain,
      caBundle: Buffer.from(pem, 'latin1'),
      host,
      now,
      serverVersion: version,
    });
    const signed =
      verdict.outcome === 'accepted' ||
      (verdict.outcome === 'rejected' &&
        !verdict.faults.some(({ kind }) =>
          ['unknown-authority', 'issuer-key-differs', 'issuer-cannot-sign'].includes(kind),
        ));
    const certificates = parseChain(pemCertificates(pem), version).filter((found) => found !== undefined);
    if (signed && certificates.length > 0) return { key, certificates };
  }
  return undefined;
}

export const secretCaDiffersFromCaBundle = defineCheck({
  meta: {
    id: 'secret-ca-differs-from-ca-bundle',
    title: 'caBundle lacks the CA in the Secret',
    severity: 'warning',
    why: 'The Secret holds the serving certificate and the CA that signed it. The caBundle holds another CA, because it was not updated when the CA was renewed. While the processes serve an older certificate, calls succeed; after the next restart they fail.',
    advice: `[look] If a CA injector or an operator writes the \`caBundle\`, read its log; it is one of the managers of the configuration: \`kubectl get {kind} {configuration} -o yaml --show-managed-fields\`. [end] Otherwise print the CA of the Secret: \`kubectl -n {namespace} get secret {secret} -o go-template='{{index $.data "{key}" | base64decode}}'\`. [with] Add it to \`caBundle\` after the old one, both together in base64: \`kubectl edit {kind} {configuration}\`.`,
    messages: {
      breaks:
        'The certificate in {secretOrConfigMap} is signed by {authority}, and the caBundle does not contain this CA',
      differs:
        'caBundle does not contain {authority} from {secretOrConfigMap}; another of its certificates still accepts the serving certificate there',
    },
    references: [
      'https://cert-manager.io/docs/concepts/ca-injector/',
      'https://cert-manager.io/docs/faq/#chain-cacrt',
    ],
    follows: [
      'ca-injection-broken',
      ...writerFails,
      'stale-ca-bundle',
      'intermediate-missing',
      'ca-bundle-expired',
      'ca-bundle-empty',
      'ca-bundle-invalid',
    ],
  },
  requires: chainFacts,
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const { version } = facts;
    const serving = servingSecret(callout, facts);
    if (serving === undefined || serving.chain.length === 0) {
      if (serving?.unread !== undefined) throw new NotKnown(serving.unread);
      return undefined;
    }
    const beside = caInSecret(serving, serverHost(callout) ?? '', new Date(facts.takenAt), version);
    const anchors = anchorsOf(callout, version);
    if (beside === undefined || anchors.length === 0) return undefined;
    const held = beside.certificates.some(({ raw, rawPublicKey, rawSubject }) =>
      anchors.some(
        (anchor) =>
          anchor.raw.equals(raw) ||
          (anchor.rawPublicKey.equals(rawPublicKey) && anchor.rawSubject.equals(rawSubject)),
      ),
    );
    const [authority] = beside.certificates;
    // The caBundle contains the serving certificate itself, and that is not outdated.
    const [leaf] = serving.chain;
    const pinned = anchors.some(({ raw }) => leaf !== undefined && raw.equals(leaf));
    if (held || pinned || authority === undefined) return undefined;
    const { kind, namespace, name, secretOrConfigMap } = serving;
    const verdict = verdictOn(callout, serving.chain, facts);
    return find(
      verdict.outcome === 'rejected' ? 'breaks' : 'differs',
      { authority: certificateName(authority), secretOrConfigMap },
      [
        {
          object: { kind, namespace, name },
          field: `data[${beside.key}]`,
          value: described(authority),
        },
        ...bundleEvidence(callout, version),
      ],
      // The command quotes the key: only a valid one.
      { secret: kind === 'Secret' ? name : undefined, key: beside.key.match(/^[\w.-]+$/)?.[0] },
    );
  },
});
