import { groupBy } from '../../../basics/collections.ts';
import type { Certificate } from '../certificate.ts';

/** Certificates by subject, without duplicates, in the order in which they were added. */
export interface CertificatePool {
  contains(certificate: Certificate): boolean;
  /** Certificates whose subject is this certificate's issuer, the best match of the key identifiers first. */
  candidatesFor(certificate: Certificate): readonly Certificate[];
}

const none: Buffer = Buffer.alloc(0);
const bytesKey = (bytes: Buffer): string => bytes.toString('latin1');

/** 0: the key identifiers are equal, or both are absent; 1: one is absent; 2: they differ. */
function distance({ subjectKeyId = none }: Certificate, authorityKeyId = none): number {
  if (subjectKeyId.equals(authorityKeyId)) return 0;
  return subjectKeyId.length === 0 || authorityKeyId.length === 0 ? 1 : 2;
}

/** crypto/x509 cert_pool.go: key identifiers determine the order only. */
export function certificatePool(certificates: readonly Certificate[]): CertificatePool {
  const known = groupBy(certificates, ({ raw }) => bytesKey(raw));
  const distinct = [...known.values()].map(([first]) => first);
  const bySubject = groupBy(distinct, ({ rawSubject }) => bytesKey(rawSubject));
  return {
    contains: ({ raw }) => known.has(bytesKey(raw)),
    candidatesFor({ rawIssuer, authorityKeyId }) {
      const candidates = bySubject.get(bytesKey(rawIssuer)) ?? [];
      return candidates.toSorted((a, b) => distance(a, authorityKeyId) - distance(b, authorityKeyId));
    },
  };
}
