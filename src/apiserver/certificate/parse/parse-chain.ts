import type { Certificate } from '../certificate.ts';
import { goRules } from '../go-rules.ts';
import { isRefusedCertificate, parseCertificate } from './parse-certificate.ts';

/** Parses each certificate of a chain in DER; undefined for one that Go cannot parse. */
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
