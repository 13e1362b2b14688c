import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { CertManagerCertificate } from '../facts/objects/cert-manager.ts';
import { certManager } from '../facts/objects/cert-manager.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isPersonOrTool, isUnclearManager } from '../products/declaring-tools.ts';
import { productOf } from '../products/of-webhook.ts';
import type { Rotation } from '../products/product.ts';
import { knownWriters } from '../products/writers.ts';
import { type MaterialFacts, materialOf, type ServingSecret, servingSecret } from './serving-secret.ts';

/** The facts that show what renews a serving certificate. */
export type RenewalFacts = MaterialFacts & Pick<Facts, 'certificates'>;

/** What renews the serving certificate. */
export interface Renewal {
  /**
   * `process`: it is renewed automatically. `upgrade`: only with each installation or upgrade. `nobody`: no
   * object shows a renewal. `unknown`: the objects that would show it could not be read, or are outside the
   * cluster.
   */
  readonly kind: 'process' | 'upgrade' | 'nobody' | 'unknown';
  /** In words: `cert-manager (Certificate shop/policy)`, `Gatekeeper's certificate rotator`. */
  readonly by: string;
  /** Milliseconds before the expiry at which a certificate is renewed; absent if unknown. */
  readonly lead?: number;
}

const day = 24 * 60 * 60 * 1000;

const process = (by: string, lead?: number): Renewal => ({
  kind: 'process',
  by,
  ...(lead === undefined ? {} : { lead }),
});

const ofRotation = ({ by, atUpgrade, daysLeft }: Rotation): Renewal =>
  atUpgrade ? { kind: 'upgrade', by } : process(by, daysLeft === undefined ? undefined : daysLeft * day);

/** The time of renewal by cert-manager: `renewBefore`, default a third of the lifetime. */
const ofCertificate = ({ metadata, status }: CertManagerCertificate): Renewal => {
  const lead = Date.parse(status?.notAfter ?? '') - Date.parse(status?.renewalTime ?? '');
  return process(`cert-manager (Certificate ${keyOf(metadata)})`, lead > 0 ? lead : undefined);
};

const jobs = /certgen|certgenerator|cert-gen|create-cert/i;

/** Returns cert-manager's Certificate for a Secret, if Certificates were read. */
export function certificateFor(
  { kind, namespace, name }: Pick<ServingSecret, 'kind' | 'namespace' | 'name'>,
  { certificates }: Pick<Facts, 'certificates'>,
): CertManagerCertificate | undefined {
  if (kind !== 'Secret' || !certificates.known(namespace)) return undefined;
  return certificates.get(namespace)?.find(({ spec }) => spec.secretName === name);
}

function ofSecret(callout: Callout, serving: ServingSecret, facts: RenewalFacts): Renewal | undefined {
  const certificate = certificateFor(serving, facts);
  if (certificate !== undefined) return ofCertificate(certificate);
  const { secret } = serving;
  const annotations = secret?.metadata.annotations ?? {};
  const issued = annotations[certManager.certificateName];
  if (issued !== undefined && !facts.certificates.known(serving.namespace)) {
    return process(`cert-manager (Certificate ${serving.namespace}/${issued})`);
  }
  if (Object.keys(annotations).some((key) => /openshift\.io\/originating-service-name/.test(key))) {
    return process("OpenShift's service CA operator");
  }
  const [last] = secret?.writers ?? [];
  const product = productOf(callout);
  const isOwn = product?.writers?.some(({ managers }) => managers.includes(last?.manager ?? '')) ?? false;
  if (isOwn && product?.rotation !== undefined) return ofRotation(product.rotation);
  const owner = secret?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner !== undefined) return process(`${owner.kind} ${owner.name}`);
  // People, and tools that apply a declared state, do not renew a certificate.
  if (last === undefined || isPersonOrTool(last.manager) || isUnclearManager(last.manager)) return undefined;
  return jobs.test(last.manager) ? { kind: 'upgrade', by: last.manager } : process(last.manager);
}

/** What renews the serving certificate of a webhook or APIService, as far as objects show. Never throws. */
export function renewalOf(callout: Callout, facts: RenewalFacts): Renewal {
  if (!isServiceBacked(callout)) return { kind: 'unknown', by: 'outside the cluster' };
  const material = materialOf(callout, facts);
  const driver = material?.sources.find(({ kind }) => kind === 'CSI');
  if (driver !== undefined) return process(`CSI driver ${driver.name}`);
  const serving = servingSecret(callout, facts);
  const found = serving?.secret === undefined ? undefined : ofSecret(callout, serving, facts);
  if (found !== undefined) return found;
  const { rotation } = material ?? {};
  if (rotation !== undefined) return ofRotation(rotation);
  const writer = knownWriters(callout).find(
    ({ fields, annotation }) => fields.includes('caBundle') && annotation === undefined,
  );
  if (writer !== undefined) return process(writer.writer.name);
  if (material === undefined || serving?.unread !== undefined) return { kind: 'unknown', by: 'not examined' };
  if (serving?.secret === undefined) return { kind: 'unknown', by: 'unknown' };
  return { kind: 'nobody', by: 'nobody' };
}
