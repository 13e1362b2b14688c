import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import {
  authorityDraft,
  type Draft,
  day,
  serverDraft,
  signChain,
  signDraft,
} from '../oracle/certificate/chain-draft.ts';
import { pemOf } from '../oracle/certificate/make-certificate.ts';
import { testKey } from '../oracle/certificate/test-key.ts';

/** A fault of a server's certificate or handshake. */
export interface CertificateCase {
  /** The check that is the cause. */
  readonly check: string;
  /** Further reported checks. */
  readonly also?: readonly string[];
  /**
   * Refused without credentials, which the API server may have: without its own call the result is undecided.
   */
  readonly undecided?: true;
  /** PEM. */
  readonly caBundle: string;
  readonly listen: () => Promise<Listening>;
}

export interface Listening {
  readonly port: number;
  readonly close: () => void;
}

/** A name in /etc/hosts that is not a loopback name. */
export const host = hostname();
const now = new Date();

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function presents(
  chain: readonly Buffer[],
  key: KeyObject,
  options: TlsOptions = {},
): CertificateCase['listen'] {
  return () => {
    const cert = chain.map((der) => pemOf(der)).join('');
    const server = createTlsServer({ cert, key: keyPem(key), ciphers: 'DEFAULT@SECLEVEL=0', ...options });
    server.on('tlsClientError', () => {});
    return listening(server);
  };
}

/** Ends every handshake with this alert, as a TLS server writes it. */
const alerts =
  (description: number): CertificateCase['listen'] =>
  () =>
    listening(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, description])));
      }),
    );

interface Pair {
  readonly root?: Partial<Draft>;
  readonly server?: Partial<Draft>;
}

/** A server with a changed certificate or CA certificate. */
export function signed(
  check: string,
  { root = {}, server = {} }: Pair,
  over: Partial<CertificateCase> = {},
): CertificateCase {
  const [above, below] = [
    { ...authorityDraft(0, now), ...root },
    { ...serverDraft(host, now), ...server },
  ];
  const [authority = Buffer.alloc(0), leaf = Buffer.alloc(0)] = signChain([above, below]);
  return { check, caBundle: pemOf(authority), listen: presents([leaf], below.key.privateKey), ...over };
}

const anotherRoot = (draft: Partial<Draft>): string =>
  pemOf(signDraft({ ...authorityDraft(0, now, testKey('p256', 5)), ...draft }));

function withoutIntermediate(): CertificateCase {
  const server = serverDraft(host, now);
  const [root = Buffer.alloc(0), , leaf = Buffer.alloc(0)] = signChain([
    authorityDraft(0, now),
    authorityDraft(1, now),
    server,
  ]);
  return {
    check: 'intermediate-missing',
    caBundle: pemOf(root),
    listen: presents([leaf], server.key.privateKey),
  };
}

const rsa = testKey('rsa2048', 9);
const shortRsa = testKey('rsa768', 9);

/** Every fault of a certificate or a handshake that a listener can show, by name. */
export const certificateCases = (): Readonly<Record<string, CertificateCase>> => ({
  expired: signed('serving-certificate-expired', { server: { notAfter: new Date(now.getTime() - day) } }),
  'expired-and-another-name': signed(
    'serving-certificate-expired',
    { server: { notAfter: new Date(now.getTime() - day), names: [{ dns: 'elsewhere' }] } },
    {
      also: ['serving-certificate-name-mismatch', 'stale-ca-bundle'],
      caBundle: anotherRoot({ subject: { cn: 'other-ca' } }),
    },
  ),
  'not-yet-valid': signed('serving-certificate-not-yet-valid', {
    server: { notBefore: new Date(now.getTime() + day) },
  }),
  'name-mismatch': signed('serving-certificate-name-mismatch', {
    server: { names: [{ dns: 'elsewhere' }, { dns: '*.svc' }] },
  }),
  'common-name': signed('serving-certificate-legacy-common-name', {
    server: { subject: { cn: host }, names: undefined },
  }),
  'another-authority': signed(
    'stale-ca-bundle',
    {},
    { caBundle: anotherRoot({ subject: { cn: 'other-ca' } }) },
  ),
  'another-key': signed('stale-ca-bundle', {}, { caBundle: anotherRoot({}) }),
  intermediate: withoutIntermediate(),
  'no-authority': signed('ca-not-allowed-to-sign', { root: { authority: { isCa: false } } }),
  sha1: signed('weak-signature', { root: { key: testKey('rsa2048', 0) }, server: { scheme: 'SHA1-RSA' } }),
  // Of the CA: a server with such a short key fails in its own TLS library.
  'weak-key': signed('weak-key', { root: { key: shortRsa } }),
  'authority-expired': signed('ca-bundle-expired', {
    root: { notBefore: new Date(now.getTime() - 300 * day), notAfter: new Date(now.getTime() - day) },
  }),
  constraint: signed('name-constraint-violation', { root: { permitted: [{ dns: 'example.com' }] } }),
  critical: signed('unhandled-critical-extension', {
    server: { extra: [{ id: '1.2.3.4.5', critical: true, value: Buffer.from([5, 0]) }] },
  }),
  client: signed('serving-certificate-wrong-usage', { server: { usages: ['client'] } }),
  'negative-serial': signed('serving-certificate-malformed', { server: { serial: -5n } }),
  'tls-1.1': signed(
    'tls-version-unsupported',
    {},
    {
      listen: presents(
        [signDraft(serverDraft(host, now), authorityDraft(0, now))],
        testKey('p256', 9).privateKey,
        {
          minVersion: 'TLSv1',
          maxVersion: 'TLSv1.1',
        },
      ),
    },
  ),
  'rsa-key-exchange': signed(
    'cipher-unsupported',
    { server: { key: rsa } },
    {
      listen: presents(
        [signDraft({ ...serverDraft(host, now), key: rsa }, authorityDraft(0, now))],
        rsa.privateKey,
        {
          ciphers: 'AES128-GCM-SHA256',
          maxVersion: 'TLSv1.2',
        },
      ),
    },
  ),
  'client-certificate': {
    check: 'client-certificate-demanded',
    undecided: true,
    caBundle: anotherRoot({}),
    listen: alerts(116),
  },
  'no-certificate-yet': { check: 'server-has-no-certificate', caBundle: anotherRoot({}), listen: alerts(80) },
  sni: { check: 'sni-refused', caBundle: anotherRoot({}), listen: alerts(112) },
});
