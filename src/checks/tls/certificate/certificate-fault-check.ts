import type { CertificateFault, FaultKind } from '../../../apiserver/certificate/verify/fault.ts';
import { serverHost } from '../../../apiserver/routing/server-host.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import type { Names } from '../../../phrases/advice.ts';
import { brief } from '../../../phrases/brief.ts';
import {
  isOfBundle,
  type PlacedFault,
  positionOf,
  type ReportedFault,
  reportedFault,
} from '../../../serving-certificates/certificate-faults.ts';
import {
  type ChainFacts,
  chainFacts,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { isOfNamesake } from '../../../serving-certificates/missing-link.ts';
import { type CheckMeta, defineCheck, type Find, type MessageData, type Messages } from '../../check.ts';
import { byExtent } from '../by-extent.ts';

/** The three messages of a fault of the certificates that all or some Pods serve. */
export const extents = <const Text extends string>(text: Text) =>
  byExtent(text, 'others are accepted', 'no calls go there');

/** Steps for a program that issues its own certificate, and creates the Secret with it if there is none. */
export const createAgain =
  '[end] Save the Secret, with its private key: `kubectl -n {namespace} get secret {secret} -o yaml > backup.yaml`. [with] Delete the Secret: `kubectl -n {namespace} delete secret {secret}`. [with] The program issues a new certificate when it creates the Secret again. [with] If the Secret does not exist after a minute, or the Pods still serve the old certificate, restart them: `kubectl -n {namespace} rollout restart {workload}`. [with] Then delete `backup.yaml`.';

type Extents<Text extends string> = ReturnType<typeof extents<Text>>;
/** Placeholders of all such messages: owner of the certificate, place in the chain, error, host. */
type Common = 'certificate' | 'position' | 'error' | 'host';
type Own<Text extends string> = Omit<MessageData<Text>, Common>;

/** A message of {@link FaultCheck}'s `causes`, besides the placeholders that all messages have. */
export interface CauseOfFault {
  readonly messageId: string;
  readonly data: Readonly<Record<string, string | number>>;
  readonly names?: Names;
}

/** The specific parts of a check about one kind of certificate fault. */
type FaultCheck<Text extends string, A extends string> = Omit<
  CheckMeta<Extents<Text>, A>,
  'severity' | 'consequence' | 'messages'
> & {
  readonly kinds: readonly FaultKind[];
  /** True: faults of certificates in the caBundle are excluded; the checks of the caBundle report them. */
  readonly exceptBundle?: true;
  readonly text: Text;
  /** Where the fault comes from, if objects show it. */
  readonly origin?: (fault: CertificateFault, callout: Callout, facts: ChainFacts) => readonly Evidence[];
  /** Messages that name a cause, each with its advice. */
  readonly causes?: Messages;
  /** The cause of a fault of all calls, with the data of its message, if objects show one. */
  readonly causeOf?: (first: PlacedFault, callout: Callout, facts: ChainFacts) => CauseOfFault | undefined;
} & (keyof Own<Text> extends never
    ? { readonly data?: undefined }
    : { readonly data: (first: PlacedFault) => Own<Text> });

/** What makes Pods serve another certificate than the one that was meant. */
const otherCertificate = [
  'host-network-port-conflict',
  'served-certificate-differs-from-secret',
  'replicas-serve-different-certificates',
];

/** The error; Go's guess about an unknown authority is the reason why it is unknown. */
const errorOf = ({ fault: { text } }: PlacedFault): string =>
  brief(/\(possibly because of "(.+?)" while/.exec(text)?.[1] ?? text);

/** The values of {@link Common}. */
const commonData = ({ certificate, first }: ReportedFault, host = ''): Readonly<Record<Common, string>> => ({
  certificate,
  position: positionOf(first),
  error: errorOf(first),
  host,
});

/** Defines a check that finds chains which the API server rejects for one kind of fault. */
export const certificateFaultCheck = <const Text extends string, const A extends string>({
  kinds,
  exceptBundle,
  text,
  origin,
  causes = {},
  causeOf,
  data,
  follows = otherCertificate,
  ...meta
}: FaultCheck<Text, A>) =>
  defineCheck({
    meta: {
      ...meta,
      consequence: 'failing',
      messages: { ...extents(text), ...causes },
      follows,
    } as CheckMeta<Extents<Text>, A>,
    requires: chainFacts,
    subjects: withExaminedCertificates,
    run(callout, facts, find) {
      const isMeant = (fault: CertificateFault): boolean =>
        kinds.includes(fault.kind) &&
        !isOfNamesake(fault) &&
        !(exceptBundle && isOfBundle(fault, callout, facts.version));
      const reported = reportedFault(callout, facts, isMeant);
      if (reported === undefined) return undefined;
      const { first } = reported;
      const host = serverHost(callout);
      const cause = reported.extent === 'all' ? causeOf?.(first, callout, facts) : undefined;
      const values = { ...commonData(reported, host), ...data?.(first), ...cause?.data };
      const evidence = [...reported.evidence, ...(origin?.(first.fault, callout, facts) ?? [])];
      const report = find as unknown as Find<Record<string, string>>;
      const names = { host, ...cause?.names };
      return reported.complete(
        report(cause?.messageId ?? reported.extent, values as never, evidence, names, reported.confidence),
      );
    },
  });
