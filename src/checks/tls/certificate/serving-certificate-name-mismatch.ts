import type { Certificate } from '../../../apiserver/certificate/certificate.ts';
import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import { parseAddress } from '../../../apiserver/go/ip-address.ts';
import { serverHost } from '../../../apiserver/routing/server-host.ts';
import type { Callout } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { certManager } from '../../../facts/objects/cert-manager.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { runsInBackend } from '../../../products/writers.ts';
import type { PlacedFault } from '../../../serving-certificates/certificate-faults.ts';
import type { ChainFacts } from '../../../serving-certificates/chains.ts';
import {
  certificateNames,
  configuringMap,
  everyName,
  nameSettings,
} from '../../../serving-certificates/names.ts';
import { otherServer } from '../../../serving-certificates/other-server.ts';
import { isServedFrom } from '../../../serving-certificates/reload.ts';
import { type ServingSecret, servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { type CauseOfFault, certificateFaultCheck, createAgain } from './certificate-fault-check.ts';

/**
 * True for the certificate that an API server without `--tls-cert-file` generates (k8s.io/client-go util/cert: the
 * names are `HOST@SECONDS` and `HOST-ca@SECONDS`; it generates a key between the two).
 */
const isGenerated = (certificate: Certificate | undefined): boolean => {
  const [host, at = ''] = certificate?.subject.commonName.split('@') ?? [];
  const [signer, before = ''] = certificate?.issuer.commonName.split('@') ?? [];
  return signer === `${host}-ca` && [at, before].every((seconds) => /^\d+$/.test(seconds));
};

/**
 * The Service that a certificate is for, if it does not exist in the namespace of the webhook: its name was changed.
 * `port` and `target` are those of the Service with the new name.
 */
function formerService(
  { client: { service: current } }: Callout,
  certificate: Certificate | undefined,
  { services }: Pick<Facts, 'services'>,
) {
  const found = current && services.getIfKnown(keyOf(current));
  const end = `.${current?.namespace}.svc`;
  const name = certificate?.dnsNames.find((one) => one.endsWith(end))?.slice(0, -end.length);
  if (current === undefined || found === undefined || name === undefined) return undefined;
  const other = keyOf({ namespace: current.namespace, name });
  if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(name) || !services.isAbsent(other)) return undefined;
  const port = current.port ?? 443;
  const target = found.spec.ports?.find((one) => one.port === port)?.targetPort ?? port;
  return { other, former: name, port: String(port), target: String(target) };
}

/** True if a value is the name of a Service, from which the program derives the names of the certificate. */
const isServiceName = (value = '', certificate: Certificate | undefined): boolean =>
  /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(value) &&
  certificate?.dnsNames.some((name) => name.startsWith(`${value}.`) && name.endsWith('.svc')) === true;

/** A certificate of a CA in place of that of the server. */
function authorityCause(
  { chain, fault: { certificate } }: PlacedFault,
  callout: Callout,
  mounted: ServingSecret | undefined,
  { version }: Pick<Facts, 'version'>,
): CauseOfFault | undefined {
  if (!certificate?.basicConstraints?.isCa) return undefined;
  const host = serverHost(callout) ?? '';
  const names = { secret: mounted?.kind === 'Secret' ? mounted.name : undefined };
  const rest = parseChain(chain.presented, version).slice(1);
  if (rest.some((one) => one?.dnsNames.includes(host))) return { messageId: 'order', data: {}, names };
  return everyName(certificate).length === 0 ? { messageId: 'authority', data: {}, names } : undefined;
}

/** A Certificate, a setting of the Pods or a file that sets the names. */
function settingCause(
  first: PlacedFault,
  callout: Callout,
  mounted: ServingSecret | undefined,
  facts: ChainFacts,
): CauseOfFault | undefined {
  const { certificate } = first.fault;
  const order = mounted?.secret?.metadata.annotations?.[certManager.certificateName];
  if (order !== undefined && isServedFrom(first.chain, mounted) && (certificate?.dnsNames ?? []).length > 0)
    return { messageId: 'cert-manager', data: { order }, names: { certificate: order } };
  const [origin] = certificate === undefined ? [] : nameSettings(callout, certificate, facts);
  const setting = origin?.field?.split(' ').at(-1);
  if (setting !== undefined) {
    const { secret, onlyFills } = rotatedSecret(callout) ?? {};
    const ofService = onlyFills === true ? 'named-filled' : 'named-service';
    const messageId = isServiceName(origin?.value, certificate) ? ofService : 'setting';
    return { messageId, data: { setting, named: origin?.value ?? '' }, names: { setting, secret } };
  }
  const file = configuringMap(callout, facts);
  return file === undefined
    ? undefined
    : { messageId: 'file', data: { file }, names: { variables: `configmap/${file}` } };
}

/** The Secret with the certificate, and the program that keeps it there. */
function secretCause(
  first: PlacedFault,
  callout: Callout,
  mounted: ServingSecret | undefined,
  facts: Pick<Facts, 'services'>,
): CauseOfFault | undefined {
  if (first.chain.pod === undefined || !isServedFrom(first.chain, mounted) || mounted?.kind !== 'Secret')
    return undefined;
  const names = { secret: mounted.name };
  const ofSecret = { messageId: 'secret', data: { kept: mounted.key }, names };
  const rotation = rotatedSecret(callout);
  if (rotation?.secret !== mounted.name || !runsInBackend(rotation, callout)) return ofSecret;
  const data = { kept: mounted.key, renewer: rotation.by };
  const former = formerService(callout, first.fault.certificate, facts);
  if (former !== undefined) {
    const { other, ...ofFormer } = former;
    return { messageId: 'renamed', data: { ...data, other }, names: ofFormer };
  }
  // Pods that do not create it do not serve without it.
  return rotation.onlyFills ? ofSecret : { messageId: 'renewed', data, names };
}

export const servingCertificateNameMismatch = certificateFaultCheck({
  id: 'serving-certificate-name-mismatch',
  title: 'Serving certificate is for other names',
  why: 'The API server verifies `SERVICE.NAMESPACE.svc`, without cluster domain and port, or the host of the URL, against the subject alternative names. A wildcard matches exactly one label, and the common name is ignored. The call fails with `x509: certificate is valid for …, not …`.',
  advice:
    '[end] Issue the certificate with `{host}` as a DNS subject alternative name (cert-manager: `spec.dnsNames`). [end] Or correct the argument, variable or file of a ConfigMap that sets the names: `kubectl -n {namespace} edit {workload}`. [end] If the process does not load the new certificate by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] If another server responds instead (metrics, another Service), correct `targetPort` or the selector: `kubectl -n {namespace} edit service {service}`.',
  kinds: ['name-mismatch'],
  text: '{certificate} is for {names}, but the API server requires {host}',
  origin: ({ certificate }, callout, facts) =>
    certificate === undefined ? [] : nameSettings(callout, certificate, facts),
  causes: {
    order: {
      text: '{certificate} is that of a CA; the one for {host} comes after it, and must be the first',
      advice:
        '[end] Write the serving certificate before that of its CA into the files or the Secret: `kubectl -n {namespace} edit secret {secret}`. [end] Write the private key of the serving certificate in place of the key of the CA. [end] If the process does not load them by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    authority: {
      text: '{certificate} is a CA certificate without names, not one for {host}',
      advice:
        '[end] Issue a certificate with `{host}` as a DNS subject alternative name, and write it and its private key into the file or Secret: `kubectl -n {namespace} edit secret {secret}`. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    'cert-manager': {
      text: '{certificate} is for {names}, not for {host}; cert-manager issues it for Certificate {order}',
      advice:
        '[end] Add the name to the Certificate: `kubectl -n {namespace} patch certificate {certificate} --type=json -p \'[{"op":"add","path":"/spec/dnsNames/-","value":"{host}"}]\'`. [with] Declare it where the Certificate is declared, too. [with] If the process does not load the new certificate by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    setting: {
      text: '{certificate} is for {names}, not for {host}; {setting} sets its names',
      advice:
        '[end] Add `{host}` to `{setting}`: `kubectl -n {namespace} edit {workload}`. [with] Declare it where the workload is declared, too. [end] If the Pods still serve the old certificate, restart them: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    'named-service': {
      text: '{certificate} is for {names}, not for {host}; {setting} names Service {named}',
      advice:
        '[end] Set `{setting}` to `{service}`: `kubectl -n {namespace} edit {workload}`. [with] Declare it where the workload is declared, too. [end] If the Pods still serve the old certificate, restart them: `kubectl -n {namespace} rollout restart {workload}`. [end] If the program itself fills its Secret, and the old certificate is still there, delete the data of that Secret before the restart.',
    },
    'named-filled': {
      text: '{certificate} is for {names}, not for {host}; {setting} names Service {named}',
      advice:
        '[end] Set `{setting}` to `{service}`: `kubectl -n {namespace} edit {workload}`. [with] The program keeps a certificate that is valid: when the new Pods run, remove it from its Secret, which they fill again: `kubectl -n {namespace} patch secret {secret} --type=json -p \'[{"op":"remove","path":"/data"}]\'`. [with] Declare the change where the workload is declared, too.',
    },
    file: {
      text: '{certificate} is for {names}, not for {host}; the program has its configuration from ConfigMap {file}',
      advice:
        '[end] If the ConfigMap sets the name of the Service or of the certificate, correct it: `kubectl -n {namespace} edit {variables}`. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] Otherwise issue the certificate with `{host}` as a DNS subject alternative name.',
    },
    secret: {
      text: '{certificate} is for {names}, not for {host}; Secret {kept} contains it',
      advice:
        '[end] Issue a certificate with `{host}` as a DNS subject alternative name, and replace the certificate, its private key and its CA in the Secret: `kubectl -n {namespace} edit secret {secret}`. [end] If the CA is another one, write it to `caBundle`, too: `kubectl edit {kind} {configuration}`. [end] If a Job, a script or a chart fills the Secret, correct the name or namespace there, too. [end] If the process does not load the new certificate by itself, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    renewed: {
      text: '{certificate} is for {names}, not for {host}; {renewer} keeps it in Secret {kept}',
      advice: createAgain,
    },
    renamed: {
      text: '{certificate} is for Service {other}, which does not exist, not for {host}; {renewer} issues it',
      advice:
        '[end] Create a Service with the name in the certificate: `kubectl -n {namespace} expose service {service} --name={former} --port={port} --target-port={target}`. [with] Name it in `clientConfig` of the configuration: `kubectl edit {kind} {configuration}`. [end] If a setting of the program names the Service, correct it instead: `kubectl -n {namespace} edit {workload}`.',
    },
    generated: {
      text: '{certificate} is for {names}, not for {host}; the program has no certificate file, and generates one at each start',
      advice:
        '[end] If the APIService was installed without verification, remove the caBundle again: `kubectl patch apiservice {configuration} --type=merge -p \'{"spec":{"caBundle":null,"insecureSkipTLSVerify":true}}\'`. [end] Otherwise mount a certificate for `{host}`, and name it with `--tls-cert-file` and `--tls-private-key-file`: `kubectl -n {namespace} edit {workload}`.',
    },
    address: {
      text: '{certificate} is for {names}, and not for {host}, the IP address in the URL',
      advice:
        '[end] Name the Service of the webhook (`clientConfig.service`) in place of the URL, or use a name of the certificate in the URL: `kubectl edit {kind} {configuration}`. [end] If the URL must contain the address, issue the certificate with this address as an IP subject alternative name.',
    },
    'strange-pods': {
      text: 'Service {service} selects {pod}, whose certificate is for Service {other}, not for {host}',
      advice:
        '[look] Compare the selector with the labels of the Pods: `kubectl -n {namespace} get pods --show-labels`. [end] Correct the selector so that it selects only the Pods of the webhook: `kubectl -n {namespace} edit service {service}`.',
    },
    'same-pods': {
      text: '{certificate} is for Service {other}, which also selects this Pod, not for {host}',
      advice:
        '[end] Name that Service in the configuration: `kubectl edit {kind} {configuration}`. [end] Or issue the certificate with `{host}` as a further DNS subject alternative name. [end] If the webhook has Pods of its own, correct the selector: `kubectl -n {namespace} edit service {service}`.',
    },
    'other-container': {
      text: 'Service {service} leads to port {port} of container {container}, which serves a certificate for {names}, not for {host}; container {owner} declares port {declared}',
      advice:
        'Set `targetPort` to the port of the webhook server: `kubectl -n {namespace} edit service {service}`.',
    },
  },
  causeOf: (first, callout, facts) => {
    const { chain, fault } = first;
    const { certificate } = fault;
    const mounted = servingSecret(callout, facts);
    const ofAuthority = authorityCause(first, callout, mounted, facts);
    if (ofAuthority !== undefined) return ofAuthority;
    if (parseAddress(serverHost(callout) ?? '') !== undefined) return { messageId: 'address', data: {} };
    if (callout.kind === 'aggregated-api' && isGenerated(certificate))
      return { messageId: 'generated', data: {} };
    const found = otherServer(callout, chain, certificate, facts);
    if (found === undefined)
      return settingCause(first, callout, mounted, facts) ?? secretCause(first, callout, mounted, facts);
    if (callout.client.service === undefined) return undefined;
    const { kind, ...data } = found;
    const service = keyOf(callout.client.service);
    return { messageId: kind, data: { ...data, service, pod: `Pod ${chain.pod}` } };
  },
  data: ({ fault }) => ({ names: certificateNames(fault.certificate) }),
  references: [
    '/docs/reference/access-authn-authz/extensible-admission-controllers/#service-reference',
    '/docs/tasks/administer-cluster/certificates/#openssl',
  ],
});
