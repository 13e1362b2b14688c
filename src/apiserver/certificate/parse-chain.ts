import type { Certificate } from './certificate.ts';
import { goRules } from './go-rules.ts';
import { isRefusedCertificate, parseCertificate } from './parse-certificate.ts';

/** The certificates of a chain in DER, one for each; undefined in the place of one that Go cannot read. */
export const parseChain = (
  chain: readonly Uint8Array[],
  version: string | undefined,
): readonly (Certificate | undefined)[] => {
  const rules = goRules(version);
  return chain.map((der) => {
    const found = parseCertificate(der, rules);
    return isRefusedCertificate(found) ? undefined : found;
  });
};
