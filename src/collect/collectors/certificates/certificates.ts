import { keyOf, ofKey } from '../../../facts/object-ref.ts';
import {
  type CertManagerCertificate,
  type Issuer,
  issuerKey,
  issuerOf,
} from '../../../facts/objects/cert-manager.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isServed } from '../../../facts/served-resources.ts';
import { defineCollector } from '../../collector.ts';
import { certificateFacts, certificatesToRead, secretsAwaited } from '../../suspect-certificates.ts';

/** Collects Certificates of cert-manager; none if it is not installed. */
export const certificates = defineCollector({
  fact: 'certificates',
  topics: ['failures', 'certificates'],
  needs: ['served', ...certificateFacts],
  permissions: [
    toRead(resources.Certificate, ['list'], 'backends', 'the issuers of serving certificates (cert-manager)'),
  ],
  otherwise: 'Certificates of a namespace where no replica waits for a Secret',
  wants: (facts, readOptions) => [
    ...secretsAwaited(facts, readOptions).map((key) => ofKey(key).namespace),
    ...certificatesToRead(facts, readOptions).certificatesIn,
  ],
  readEach: async (access, namespace, facts) =>
    isServed(facts, resources.Certificate)
      ? access.list<CertManagerCertificate>(resources.Certificate, { namespace })
      : { value: [] },
});

const use = 'the issuers of serving certificates, and whether they are ready (cert-manager)';

/** Collects the issuers of the relevant Certificates; none if the API server does not serve issuers. */
export const issuers = defineCollector({
  fact: 'issuers',
  topics: ['failures', 'certificates'],
  needs: ['served', ...certificateFacts, 'certificates'],
  permissions: [
    toRead(resources.Issuer, ['get'], 'backends', use),
    toRead(resources.ClusterIssuer, ['get'], 'cluster', use),
  ],
  otherwise: 'an issuer of no serving certificate',
  wants(facts, readOptions) {
    const kept = certificatesToRead(facts, readOptions);
    const secrets = new Set([...secretsAwaited(facts, readOptions), ...kept.secrets]);
    return facts.certificates
      .all()
      .flat()
      .filter(
        ({ metadata, spec }) =>
          kept.certificates.includes(keyOf(metadata)) ||
          (spec.secretName !== undefined && secrets.has(`${metadata.namespace}/${spec.secretName}`)),
      )
      .flatMap((certificate) => issuerOf(certificate) ?? [])
      .map(issuerKey);
  },
  async readEach(access, key, facts) {
    const [kind, name = ''] = key.split(' ');
    const resource = kind === 'Issuer' ? resources.Issuer : resources.ClusterIssuer;
    if (!isServed(facts, resource)) return { value: undefined };
    const of = ofKey(name);
    return kind === 'Issuer'
      ? access.get<Issuer>(resource, of.name, { namespace: of.namespace })
      : access.get<Issuer>(resource, name);
  },
});
