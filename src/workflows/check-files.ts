import { readFile } from 'node:fs/promises';
import { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import type { AdmissionCallout } from '../facts/callout.ts';
import { complete } from '../facts/lookup.ts';
import type { CalloutProbes } from '../facts/probes.ts';
import type { Facts } from '../facts/snapshot.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { unreadableFile } from './input/input-file.ts';

/** The arguments of `cert-check --from-files`. */
export interface FileCheckOptions {
  /** The caBundle first, then the served chain in order. */
  readonly files: readonly string[];
  /** The TLS server name that the API server uses: `svc.namespace.svc`, or the host of a URL. */
  readonly host: string;
  readonly now: Date;
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** Parses PEM with any other text around it, or one certificate in DER. */
function certificatesIn(bytes: Buffer): readonly Buffer[] {
  const found = pemCertificates(bytes.toString('latin1'));
  return found.length === 0 && bytes[0] === 0x30 ? [bytes] : found;
}

const callout = (host: string, caBundle: Buffer): AdmissionCallout => ({
  kind: 'validating',
  ref: { kind: 'File', name: host },
  configuration: 'files',
  webhook: host,
  index: 0,
  metadata: { name: 'files' },
  client: {
    url: `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`,
    caBundle: caBundle.toString('base64'),
  },
  timeoutSeconds: 10,
  failurePolicy: 'Fail',
  rules: [],
  namespaceSelector: {},
  objectSelector: {},
  matchPolicy: 'Equivalent',
  matchConditions: [],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

/** Evaluates files without a cluster: would the API server accept this certificate with this caBundle? */
export async function checkFiles({ files, host, now }: FileCheckOptions): Promise<CertificateReport> {
  const [bundleFile = '', ...serverFiles] = files;
  if (serverFiles.length === 0) {
    throw new CannotStart(
      '--from-files requires two files, the caBundle and the served chain: ca.pem server.pem',
    );
  }
  const [bundle = Buffer.alloc(0), ...servers] = await Promise.all([bundleFile, ...serverFiles].map(read));
  const presented = servers.flatMap(certificatesIn);
  if (presented.length === 0) throw new CannotStart(`no certificate in ${serverFiles.join(', ')}`);
  const checked = callout(host, bundle);
  const handshake = { protocol: '', cipher: '', presented, milliseconds: 0 };
  const probes: CalloutProbes = {
    level: 'connect',
    serverName: host,
    replicas: [],
    url: { way: 'direct', handshake, reviews: [] },
    notTried: [],
  };
  const { certificateReport } = await import('../diagnose/certificates/build-certificate-report.ts');
  const { catalogue } = await import('../checks/catalogue.ts');
  const { nothingRequested } = await import('../collect/collectors/catalogue.ts');
  const facts: Facts = {
    ...nothingRequested(),
    takenAt: now.toISOString(),
    callouts: [checked],
    probes: complete([[`validating/files/${host}`, probes]]),
  };
  const snapshot = { cluster: { server: 'files' }, facts, notLookedAt: [] };
  return certificateReport(snapshot, [checked], catalogue);
}
