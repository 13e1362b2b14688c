import { type Callout, isReviewed } from '../../facts/callout.ts';
import type { CalloutProbes, ProbeConnection } from '../../facts/probes.ts';
import type { ProbePlan } from './run.ts';

/** Reduces the results of a connection to its handshake: a server may close the connection immediately after it. */
function handshakeOnly({ failure, reviews, ...connection }: ProbeConnection): ProbeConnection {
  const failures = [failure, ...reviews.map((review) => review.failure)];
  const alert = failures.find((one) => one?.alert === 'certificate required');
  const broken =
    failures.find((one) => one?.stage === 'connect' || one?.stage === 'tls') ??
    // With TLS 1.3, the server rejects a client without a certificate after the handshake; the probe waits
    // for that.
    (alert && ({ ...alert, stage: 'tls', greeted: true } as const));
  return { ...connection, ...(broken === undefined ? {} : { failure: broken }), reviews: [] };
}

/** Reduces recorded results of probes to what probes of the planned level would have found. */
export function asPlanned(
  probes: CalloutProbes,
  callout: Callout,
  { level, replicasOnly = false }: Pick<ProbePlan, 'level' | 'replicasOnly'>,
): CalloutProbes {
  const { dryRun, invalid, discovery, beyondReplicas = [], replicas, url, ...rest } = probes;
  const isWhole = level === probes.level;
  if (isWhole && !replicasOnly) return probes;
  const connectionOf =
    isWhole || !isReviewed(callout) ? (connection: ProbeConnection) => connection : handshakeOnly;
  const hasReviews = !replicasOnly && (isWhole || !isReviewed(callout));
  const beyondPlan = new Set(hasReviews ? [] : beyondReplicas.map((unread) => JSON.stringify(unread)));
  return {
    ...rest,
    level,
    replicas: replicas.map(({ proxy, ...replica }) => ({
      ...replica,
      dialogues: replica.dialogues.map(connectionOf),
      ...(proxy === undefined || replicasOnly ? {} : { proxy }),
    })),
    ...(url === undefined ? {} : { url: connectionOf(url) }),
    ...(discovery === undefined || replicasOnly ? {} : { discovery }),
    notTried: rest.notTried.filter((unread) => !beyondPlan.has(JSON.stringify(unread))),
  };
}
