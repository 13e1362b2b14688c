import { alertFacts, probed, reportedAlert } from '../../../apiserver/connection/handshake-alerts.ts';
import { ownAlert } from '../../../apiserver/connection/own-call-result.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import type { Names } from '../../../phrases/advice.ts';
import { type CheckMeta, defineCheck, type Find, type Messages } from '../../check.ts';
import { byExtent } from '../by-extent.ts';

/** The messages of a check of TLS alerts: of all replicas, of some, and of replicas that no call reaches. */
export const alertMessages = <const Text extends string>(text: Text) =>
  byExtent(text, 'other Pods respond', 'no calls go there now');

/** The specific parts of a check about TLS alerts of servers. */
interface AlertCheck<A extends string>
  extends Omit<CheckMeta<Messages, A>, 'severity' | 'consequence' | 'confidence' | 'noRemedy' | 'messages'> {
  readonly alerts: readonly string[];
  /** Distinguishes two meanings of one alert. */
  readonly hasMeaning?: (alert: string, greeted: boolean) => boolean;
  /** The message about `{servers}`. */
  readonly text: string;
  /** The message if only the API server got the alert, and other clients negotiate `{agreed}`. */
  readonly ownCall?: string;
  /** Values for the commands of the advice. */
  readonly names?: (callout: Callout, evidence: readonly Evidence[]) => Names;
}

/** Defines a check that finds servers which end the handshake with one of these alerts. */
export const alertCheck = <const A extends string>({
  alerts,
  hasMeaning,
  text,
  ownCall,
  names = () => ({}),
  ...meta
}: AlertCheck<A>) =>
  defineCheck({
    meta: {
      ...meta,
      consequence: 'failing',
      confidence: 'observed',
      noRemedy: 'in-the-server',
      messages: { ...alertMessages(text), ...(ownCall === undefined ? {} : { ownCall }) } as Messages,
    },
    requires: alertFacts,
    subjects: probed,
    run(callout, facts, find) {
      const report = find as unknown as Find<Messages>;
      const alert = reportedAlert(callout, facts, alerts, hasMeaning);
      if (alert !== undefined) {
        const { extent, servers, evidence } = alert;
        return alert.complete(report(extent, { servers } as never, evidence, names(callout, evidence)));
      }
      const own = ownCall === undefined ? undefined : ownAlert(callout, facts, alerts);
      return own && report('ownCall', { agreed: own.agreed } as never, own.evidence);
    },
  });
