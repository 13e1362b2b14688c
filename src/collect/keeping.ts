import { proxiedPortOf } from '../apiserver/routing/route.ts';
import type { Callout } from '../facts/callout.ts';
import type { Lookup } from '../facts/lookup.ts';
import { lookup, nothingRead } from '../facts/lookup.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Certificate } from '../facts/objects/certificate.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Right } from '../facts/right.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Attempts } from './attempts.ts';
import type { BaseFacts } from './base.ts';
import { certificateRights, collectCertificates } from './collectors/certificates.ts';
import { collectIssuers, issuerRights } from './collectors/issuers.ts';
import { collectLeases, leaseRights } from './collectors/leases.ts';
import { notRequested } from './collectors/readings.ts';
import { collectConfigMaps, collectSecrets, configMapRights, secretRights } from './collectors/secrets.ts';

/** What {@link collectKeeping} needs. */
export const keepingRights: readonly Right[] = [
  ...secretRights,
  ...configMapRights,
  ...certificateRights,
  ...issuerRights,
  ...leaseRights,
];

/** What has to be read to say how a callout's certificates are kept: products/certificate-questions.ts. */
export interface Questions {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  readonly certificates: readonly string[];
  readonly certificatesIn: readonly string[];
  readonly leasesIn: readonly string[];
}

/** @param port the Pods' port behind the Service's, or its name. */
export type Ask = (callout: Callout, pods: readonly Pod[], port: number | string | undefined) => Questions;

type Keeping = Pick<Facts, 'secrets' | 'configMaps' | 'certificates' | 'issuers' | 'leases'>;

/** For runs that ask nothing of the kind. */
export const noConfigMaps = (): Facts['configMaps'] =>
  nothingRead(notRequested('ConfigMaps of backends that look whole'));

const unique = (items: readonly string[]): readonly string[] => [...new Set(items)];

/** What either of two lookups knows; the reason of the first where neither does, unless nobody asked it. */
function either<V>(first: Lookup<V>, second: Lookup<V>): Lookup<V> {
  const entries = new Map([...second.entries(), ...first.entries()]);
  const why = (key: string) => {
    const [here, there] = [first.why(key), second.why(key)];
    if (here === undefined || there === undefined) return undefined;
    return here.why === 'not-requested' ? there : here;
  };
  return lookup(entries, why, first.incomplete);
}

function questionsAbout(
  asked: readonly Callout[],
  base: Pick<BaseFacts, 'services'>,
  pods: Facts['pods'],
  ask: Ask,
): readonly Questions[] {
  return asked.map((callout) => {
    const { service: reference } = callout.client;
    const key = reference === undefined ? '' : keyOf(reference);
    const service = base.services.known(key) ? base.services.get(key) : undefined;
    const port = service && reference && proxiedPortOf(service, reference.port)?.targetPort;
    const found = pods.known(key) ? (pods.get(key) ?? []) : [];
    return ask(callout, found, port ?? reference?.port);
  });
}

/** The Certificates whose issuers matter: those of the Secrets, and those that annotations name. */
function ordering(
  secrets: readonly string[],
  names: readonly string[],
  certificates: Lookup<readonly Certificate[]>,
): readonly Certificate[] {
  const wanted = new Set(secrets);
  const named = new Set(names);
  return [...certificates.all()]
    .flat()
    .filter(
      ({ metadata, spec }) =>
        named.has(keyOf(metadata)) ||
        (spec.secretName !== undefined && wanted.has(`${metadata.namespace}/${spec.secretName}`)),
    );
}

const secretOf = (key: string, certificates: Lookup<readonly Certificate[]>): readonly string[] => {
  const [namespace = '', name] = key.split('/');
  if (!certificates.known(namespace)) return [];
  const found = certificates.get(namespace)?.find(({ metadata }) => metadata.name === name);
  return found?.spec.secretName === undefined ? [] : [`${namespace}/${found.spec.secretName}`];
};

/** Secrets, ConfigMaps, Certificates, their issuers and Leases from which it shows how callouts' certificates are kept, beside what is known. */
export async function collectKeeping(
  read: Attempts,
  base: BaseFacts,
  asked: readonly Callout[],
  examined: Omit<Keeping, 'configMaps'> & Pick<Facts, 'pods'>,
  ask: Ask,
): Promise<Keeping> {
  const questions = questionsAbout(asked, base, examined.pods, ask);
  const wanted = (part: keyof Questions): readonly string[] => unique(questions.flatMap((one) => one[part]));
  const newOnes = (lookedUp: Lookup<unknown>, keys: readonly string[]): readonly string[] =>
    keys.filter((key) => lookedUp.why(key)?.why === 'not-requested');
  const mounted = newOnes(examined.secrets, wanted('secrets'));
  const [secrets, configMaps, certificates, leases] = await Promise.all([
    collectSecrets(read, mounted),
    collectConfigMaps(read, wanted('configMaps')),
    collectCertificates(read, base.served, newOnes(examined.certificates, wanted('certificatesIn'))),
    collectLeases(read, newOnes(examined.leases, wanted('leasesIn'))),
  ]);
  const all = either(certificates, examined.certificates);
  const named = wanted('certificates').flatMap((key) => secretOf(key, all));
  const [injected, issuers] = await Promise.all([
    collectSecrets(
      read,
      unique(named).filter((key) => !mounted.includes(key) && !examined.secrets.known(key)),
    ),
    collectIssuers(read, base.served, ordering(wanted('secrets'), wanted('certificates'), all)),
  ]);
  return {
    secrets: either(either(secrets, injected), examined.secrets),
    configMaps,
    certificates: all,
    issuers: either(issuers, examined.issuers),
    leases: either(leases, examined.leases),
  };
}
