import { ConnectionProblem, type KeyPair } from './connection.ts';
import { bearer, type Credential, type Credentials } from './credential.ts';
import { readTextFile } from './pem.ts';

/**
 * Milliseconds. Half of the time between the kubelet's renewal of a token and the expiry of the old one.
 * Source: token_source.go.
 */
const rereadAfter = 50_000;

/**
 * A token that is renewed in a file, for example by the kubelet: the file is read again after some time and
 * after a 401. If the file can no longer be read, the last token is used. Source:
 * client-go/transport/token_source.go.
 */
export function tokenFileCredentials(
  file: string,
  clientCertificate: KeyPair | undefined,
  now: () => number = Date.now,
): Credentials {
  let last: Credential | undefined;
  let readAt = 0;

  const read = (): Credential => {
    readAt = now();
    const token = readTextFile('token file', file).trim();
    if (token === '')
      throw new ConnectionProblem(
        `the token file ${file} is empty`,
        'Wait until it is written, or correct tokenFile.',
      );
    const credential = bearer(token, clientCertificate);
    return last && last.authorization === credential.authorization ? last : credential;
  };

  const refresh = (): Credential => {
    try {
      last = read();
      return last;
    } catch (error) {
      if (!last) throw error;
      return last;
    }
  };

  return {
    current: async () => (last && now() - readAt < rereadAfter ? last : refresh()),
    renew: async (refused) => (last === refused ? refresh() !== refused : true),
  };
}
