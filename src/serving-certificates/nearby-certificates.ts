import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { parseChain } from '../apiserver/certificate/parse-chain.ts';
import { pemCertificates } from '../apiserver/certificate/pem.ts';
import type { Callout } from '../facts/callout.ts';
import { type ChainFacts, knownChains } from './chains.ts';
import { servingSecrets } from './serving-secret.ts';

/** A certificate found near a webhook or APIService, in DER, and the Secret that contains it. */
export interface NearbyCertificate {
  readonly der: Buffer;
  readonly secret?: string;
  /** The data key. */
  readonly key?: string;
}

/** Every certificate that Pods present, or that is in the Secrets that they mount. */
export function nearbyCertificates(callout: Callout, facts: ChainFacts): readonly NearbyCertificate[] {
  const presented = knownChains(callout, facts).flatMap((chain) =>
    chain.presented.map((der) => ({ der: Buffer.from(der) })),
  );
  const kept = servingSecrets(callout, facts).flatMap(({ key: secret, secret: found }) =>
    Object.entries(found?.certificates ?? {}).flatMap(([key, pem]) =>
      pemCertificates(pem).map((der) => ({ der, secret, key })),
    ),
  );
  return [...presented, ...kept];
}

/**
 * These certificates without those that Go cannot parse.
 *
 * @param version of the API server; a current one when undefined.
 */
export const parsed = (
  nearby: readonly NearbyCertificate[],
  version: string | undefined,
): readonly Certificate[] =>
  parseChain(
    nearby.map(({ der }) => der),
    version,
  ).filter((found) => found !== undefined);
