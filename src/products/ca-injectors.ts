import type { Callout } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { certManager } from '../facts/objects/cert-manager.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { servedByGroup } from '../facts/served-resources.ts';
import type { Facts } from '../facts/snapshot.ts';
import { workloadArgument, workloadOfPod } from '../facts/workloads/workloads.ts';

/** A controller that sets a caBundle if an annotation requests it. */
export interface CaInjector {
  readonly annotation: string;
  readonly name: string;
  /** The value of the annotation: a Certificate or a Secret as `namespace/name`, or only a request. */
  readonly names: 'Certificate' | 'Secret' | 'nothing';
  /** The Lease that its leader holds, as named by its chart or operator. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Its log: its namespace, and its workload as `kubectl logs` accepts it. */
  readonly log: { readonly place: string; readonly affected: string };
}

/** The Lease of cert-manager's controller, which renews certificates; its namespace and workload, as its chart names them. */
export const certManagerController = {
  lease: { namespace: 'kube-system', name: 'cert-manager-controller' },
  log: { place: 'cert-manager', affected: 'deployment/cert-manager' },
} as const;

const cainjector = {
  name: "cert-manager's cainjector",
  lease: { namespace: 'kube-system', name: 'cert-manager-cainjector-leader-election' },
  log: { place: 'cert-manager', affected: 'deployment/cert-manager-cainjector' },
};
const serviceCa = {
  name: "OpenShift's service CA operator",
  names: 'nothing',
  lease: { namespace: 'openshift-service-ca', name: 'service-ca-controller-lock' },
  log: { place: 'openshift-service-ca', affected: 'deployment/service-ca' },
} as const;

/** If several are requested, the first one counts: cert-manager's setup.go, openshift/service-ca-operator. */
const caInjectors: readonly CaInjector[] = [
  { ...cainjector, annotation: certManager.injectFromSecret, names: 'Secret' },
  { ...cainjector, annotation: certManager.injectFrom, names: 'Certificate' },
  { ...cainjector, annotation: certManager.injectApiServerCa, names: 'nothing' },
  { ...serviceCa, annotation: 'service.beta.openshift.io/inject-cabundle' },
  { ...serviceCa, annotation: 'service.alpha.openshift.io/inject-cabundle' },
];

/** The CA injector that an object requests, and the annotation's value. */
export interface RequestedInjector {
  readonly injector: CaInjector;
  readonly value: string;
}

/** An annotation without a Certificate or Secret must have the value `true`. */
const asks = ({ names }: CaInjector, value: string): boolean =>
  names === 'nothing' ? value === 'true' : value !== 'false';

/** The CA injector that the annotations of an object request; undefined if none. */
export function requestedInjector(metadata: Metadata): RequestedInjector | undefined {
  for (const injector of caInjectors) {
    const value = metadata.annotations?.[injector.annotation];
    if (value !== undefined && asks(injector, value)) return { injector, value };
  }
  return undefined;
}

/** False if the API server does not serve the API of cert-manager, which the annotation requires. */
export function isInstalled(
  { injector }: Pick<RequestedInjector, 'injector'>,
  { served }: Pick<Facts, 'served'>,
): boolean {
  if (!injector.annotation.startsWith('cert-manager.io/') || !served.known('served')) return true;
  const known = served.get('served');
  return known === undefined || servedByGroup(known).has('cert-manager.io');
}

/** The Secret, `namespace/name`, that an annotation refers to; undefined if none, or if it is unknown. */
export function sourceOfCa(
  { injector, value }: RequestedInjector,
  { certificates }: Pick<Facts, 'certificates'>,
): string | undefined {
  if (injector.names !== 'Certificate') return injector.names === 'Secret' ? value : undefined;
  const [namespace = '', name] = value.split('/');
  const found = certificates.getIfKnown(namespace)?.find(({ metadata }) => metadata.name === name);
  return found?.spec.secretName && keyOf({ namespace, name: found.spec.secretName });
}

/** A Secret and its CA in PEM that an injector copies into the caBundle. */
export interface CopiedCa {
  readonly injector: string;
  /** `namespace/name`. */
  readonly secret: string;
  readonly ca: string;
}

/** The CA that cert-manager's injector copies; undefined if it copies none, such as from a Secret that it may not read. */
export function copiedCa(
  { metadata }: Callout,
  facts: Pick<Facts, 'certificates' | 'secrets' | 'served'>,
): CopiedCa | undefined {
  const requested = requestedInjector(metadata);
  const secret = requested && isInstalled(requested, facts) ? sourceOfCa(requested, facts) : undefined;
  const found = secret === undefined ? undefined : facts.secrets.getIfKnown(secret);
  const ca = found?.certificates['ca.crt'];
  if (requested === undefined || secret === undefined || ca === undefined) return undefined;
  const { injector, value } = requested;
  const [annotation, wanted] =
    injector.names === 'Secret'
      ? [certManager.allowDirectInjection, 'true']
      : [certManager.certificateName, value.split('/')[1]];
  return found?.metadata.annotations?.[annotation] === wanted
    ? { injector: injector.name, secret, ca }
    : undefined;
}

/** True for a Pod of an injector's workload. */
export const isPodOf = ({ place, affected }: CaInjector['log'], pod: Pod): boolean =>
  pod.metadata.namespace === place && workloadArgument(workloadOfPod(pod)) === affected;

/** True for a Pod of any CA injector. */
export const isInjectorPod = (pod: Pod): boolean => caInjectors.some(({ log }) => isPodOf(log, pod));
