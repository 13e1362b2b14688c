import { isDeepStrictEqual } from 'node:util';
import { isSelfIssued } from '../../../apiserver/certificate/certificate.ts';
import { derive } from '../../../basics/derive.ts';
import {
  type Callout,
  clientConfigEvidence,
  isAdmission,
  ofSameService,
  resourcesOf,
} from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Metadata } from '../../../facts/objects/metadata.ts';
import { otherNamespaces } from '../../../facts/objects/suggested-service.ts';
import type { Facts, World } from '../../../facts/snapshot.ts';
import { listed } from '../../../phrases/lists.ts';
import { requestedInjector } from '../../../products/ca-injectors.ts';
import { helmRelease } from '../../../products/of-metadata.ts';
import { productOf } from '../../../products/of-webhook.ts';
import { knownWriters } from '../../../products/writers.ts';
import {
  bundleEvidence,
  type PlacedFault,
  reportedFault,
} from '../../../serving-certificates/certificate-faults.ts';
import {
  anchorsOf,
  type CertificateChain,
  certificateName,
  chainFacts,
  verdictOn,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { missingLink } from '../../../serving-certificates/missing-link.ts';
import { defineCheck } from '../../check.ts';
import { extents } from '../certificate/certificate-fault-check.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

const other = extents('{certificate} is signed by {issuer}; the caBundle holds {anchors}');
const renewed = extents(
  '{certificate} is signed by {issuer}; the caBundle holds another CA of the same name',
);
const itself = extents('{certificate} is self-signed, and the caBundle holds {anchors} instead of it');

/** The Service and its port; releases of a product may have other paths. */
const addressOf = ({ client: { service } }: Callout): string | undefined =>
  service && `${keyOf(service)}:${service.port}`;

/** A webhook of another configuration for the same resources and address that trusts the chain. */
const successor = (
  callout: Callout,
  { presented }: CertificateChain,
  facts: World<'callouts' | 'version' | 'clock'>,
) =>
  !isAdmission(callout) || callout.client.service === undefined
    ? undefined
    : facts.callouts
        .filter(isAdmission)
        .find(
          (one) =>
            one.kind === callout.kind &&
            one.configuration !== callout.configuration &&
            addressOf(one) === addressOf(callout) &&
            resourcesOf(one).some((resource) => resourcesOf(callout).includes(resource)) &&
            verdictOn(one, presented, facts).outcome === 'accepted',
        );

/** A webhook of another configuration for the same Service that trusts the chain: the program has written its CA there. */
const trusting = (
  callout: Callout,
  { presented }: CertificateChain,
  facts: World<'callouts' | 'version' | 'clock'>,
) =>
  // A CA injector overwrites what another one writes.
  requestedInjector(callout.metadata) !== undefined
    ? undefined
    : ofSameService(callout, facts).find(
        (one) =>
          !(one.kind === callout.kind && one.configuration === callout.configuration) &&
          verdictOn(one, presented, facts).outcome === 'accepted',
      );

/** True if Helm or labels say that two objects are of different releases or versions of a product. */
const isOfOtherRelease = (one: Metadata, other: Metadata): boolean =>
  !isDeepStrictEqual(helmRelease(one), helmRelease(other)) ||
  ['app.kubernetes.io/instance', 'app.kubernetes.io/version', 'helm.sh/chart'].some(
    (label) => one.labels?.[label] !== other.labels?.[label],
  );

/** The Service of the same name in another namespace that a certificate of the caBundle is for: `namespace/name`. */
function serviceOfOther(callout: Callout, version: string | undefined): string | undefined {
  const { name, namespace } = callout.client.service ?? {};
  const namespaces = anchorsOf(callout, version).flatMap(({ dnsNames }) =>
    dnsNames.flatMap((dns) => {
      const [service, home, svc] = dns.split('.');
      return service === name && home !== undefined && svc === 'svc' ? [home] : [];
    }),
  );
  const [other] = namespaces;
  return other === undefined || namespaces.includes(namespace ?? '') ? undefined : `${other}/${name}`;
}

const onlyOneWriter =
  '[look] Check whether the other installation still runs: `kubectl get service -A --field-selector metadata.name={service}`. [end] Let only one of them write this configuration: give each another name for it, or delete one installation.' as const;

/** The Services of all configurations. */
const calledServices = derive(
  ['callouts'],
  ({ callouts }: Pick<Facts, 'callouts'>): ReadonlySet<string> =>
    new Set(callouts.flatMap(({ client: { service } }) => (service === undefined ? [] : [keyOf(service)]))),
);

/** True if a process that no installation of the product contains writes the caBundle: a CA injector, a Job's tool. */
const isWrittenByTool = (callout: Callout): boolean =>
  knownWriters(callout).some(
    ({ writer, fields }) =>
      fields.includes('caBundle') && productOf(callout)?.writers?.includes(writer) !== true,
  );

/**
 * The only Service of another namespace with the same name and selector that no configuration calls: it is of a second
 * installation, which writes the same configuration as the first one.
 */
function secondService(callout: Callout, facts: Pick<Facts, 'callouts' | 'services'>): string | undefined {
  const reference = callout.client.service;
  const own = reference && facts.services.getIfKnown(keyOf(reference));
  if (reference === undefined || own === undefined || isWrittenByTool(callout)) return undefined;
  const [other, ...others] = otherNamespaces(reference, facts.services)
    .map((namespace) => keyOf({ namespace, name: reference.name }))
    .filter((key) => isDeepStrictEqual(facts.services.getIfKnown(key)?.spec.selector, own.spec.selector));
  return others.length > 0 || other === undefined || calledServices(facts).has(other) ? undefined : other;
}

/** Another configuration or installation that explains why the caBundle is not that of the serving certificate. */
function otherInstallation(
  callout: Callout,
  { chain, fault }: PlacedFault,
  facts: World<'callouts' | 'services' | 'version' | 'clock'>,
) {
  const next = successor(callout, chain, facts);
  if (next !== undefined)
    return { messageId: 'replaced', other: next.configuration, next, names: {} } as const;
  const other = serviceOfOther(callout, facts.version);
  if (other !== undefined) return { messageId: 'otherInstallation', other, next, names: {} } as const;
  const second = fault.kind === 'issuer-key-differs' ? secondService(callout, facts) : undefined;
  if (second !== undefined)
    return { messageId: 'secondInstallation', other: second, next, names: {} } as const;
  const beside = trusting(callout, chain, facts);
  return (
    beside &&
    ({
      messageId: 'trustedBeside',
      other: `${beside.ref.kind} ${beside.configuration}`,
      next: beside,
      names: isOfOtherRelease(callout.metadata, beside.metadata) ? {} : { leftover: undefined },
    } as const)
  );
}

export const staleCaBundle = defineCheck({
  meta: {
    id: 'stale-ca-bundle',
    title: 'caBundle does not match the serving certificate',
    consequence: 'failing',
    why: 'The API server trusts only the caBundle. It was not updated when the CA was created again (by a reinstallation, a rotation or a second replica). New connections fail with `x509: certificate signed by unknown authority`, followed by `possibly because of …` if the new CA has the same name; open connections hide it for a while.',
    advice:
      '[end] If the program creates the CA itself, restart the program to write the caBundle: `kubectl -n {namespace} rollout restart {workload}`. [look] Otherwise find the program that manages `caBundle`: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [end] The manager of `caBundle` must write the current CA (`ca.crt` of the Secret, if present): restart the manager, or run `helm upgrade` or a sync. [with] Keep the old CA until the last Pod serves the new certificate.',
    messages: {
      all: other.all,
      some: other.some,
      spare: other.spare,
      allKey: renewed.all,
      someKey: renewed.some,
      spareKey: renewed.spare,
      allSelf: itself.all,
      someSelf: itself.some,
      spareSelf: itself.spare,
      replaced: {
        text: '{certificate} is signed by {issuer}. Configuration {other} for the same Service trusts this CA, and this configuration does not',
        advice:
          '[look] Compare this configuration with the other one: `kubectl get {kind} {configuration} -o yaml`. [end] If this configuration is obsolete, delete it: `kubectl delete {kind} {configuration}`. [end] Otherwise write the `caBundle` of the other configuration to this one: `kubectl edit {kind} {configuration}`.',
      },
      trustedBeside: {
        text: '{certificate} is signed by {issuer}. {other} for the same Service trusts this CA, and this configuration does not',
        advice:
          '[end] Write the `caBundle` of the other configuration to this one: `kubectl edit {kind} {configuration}`. [end] If this configuration remains from an earlier installation, delete it instead: `kubectl delete {kind} {leftover}`. [with] Read in the log of its writer why it updates only the other one.',
      },
      otherInstallation: {
        text: 'The caBundle holds the certificate of Service {other}: another installation wrote it. {certificate} is signed by {issuer}',
        advice: onlyOneWriter,
      },
      secondInstallation: {
        text: '{certificate} is signed by another key of {issuer}; a second installation, with Service {other}, may have written the caBundle',
        advice: onlyOneWriter,
      },
    },
    follows: [
      'host-network-port-conflict',
      'served-certificate-differs-from-secret',
      'ca-injection-broken',
      ...writerFails,
      'ca-bundle-fought-over',
      'replicas-serve-different-certificates',
    ],
    references: [
      'https://cert-manager.io/docs/concepts/ca-injector/',
      'https://cert-manager.io/docs/troubleshooting/webhook/#error-x509-certificate-signed-by-unknown-authority',
    ],
  },
  requires: chainFacts,
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const reported = reportedFault(
      callout,
      facts,
      (fault, chain) => missingLink(facts, callout, chain, fault)?.kind === 'authority',
    );
    if (reported === undefined) return undefined;
    const { certificate, kind } = reported.first.fault;
    const issuer = certificate?.issuer.commonName || certificate?.issuer.organizations[0] || 'an unnamed CA';
    const names = [...new Set(anchorsOf(callout, facts.version).map(certificateName))];
    // With only the system roots, ca-bundle-empty reports this.
    if (names.length === 0) return undefined;
    const { extent } = reported;
    const cause = extent === 'all' ? otherInstallation(callout, reported.first, facts) : undefined;
    const itself = certificate !== undefined && isSelfIssued(certificate) ? 'Self' : '';
    const data = {
      certificate: reported.certificate,
      issuer,
      anchors: listed(names, { most: 3 }),
      other: cause?.other ?? '',
    };
    const evidence = [
      ...(cause?.next === undefined ? [] : [clientConfigEvidence(cause.next, 'caBundle', issuer)]),
      ...reported.evidence,
      ...bundleEvidence(callout, facts.version),
    ];
    const how = kind === 'issuer-key-differs' ? 'Key' : itself;
    const messageId = cause?.messageId ?? (`${extent}${how}` as const);
    return reported.complete(find(messageId, data, evidence, cause?.names ?? {}, reported.confidence));
  },
});
