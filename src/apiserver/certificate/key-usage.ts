import type { Certificate } from './certificate.ts';

const serverAuth = '1.3.6.1.5.5.7.3.1';
const any = '2.5.29.37.0';

/** Every certificate of the chain that lists usages lists the server's, or any (crypto/x509 checkChainForKeyUsage). */
export const maySignServers = (chain: readonly Certificate[]): boolean =>
  chain.every(
    ({ extendedKeyUsages: usages }) =>
      usages.length === 0 || usages.includes(serverAuth) || usages.includes(any),
  );
