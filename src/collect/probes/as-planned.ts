import { type Callout, isReviewed } from '../../facts/callout.ts';
import type { CalloutProbes, Dialogue } from '../../facts/probes.ts';
import type { ProbePlan } from './run.ts';

/** A conversation that ended with the handshake: a server may break off just behind it. */
function shaken({ failure, reviews, ...dialogue }: Dialogue): Dialogue {
  const failures = [failure, ...reviews.map((review) => review.failure)];
  const alert = failures.find((one) => one?.alert === 'certificate required');
  const broken =
    failures.find((one) => one?.stage === 'connect' || one?.stage === 'tls') ??
    // What a TLS 1.3 server thinks of a client without a certificate comes behind the handshake, which waits for it.
    (alert && ({ ...alert, stage: 'tls', greeted: true } as const));
  return { ...dialogue, ...(broken === undefined ? {} : { failure: broken }), reviews: [] };
}

/** What probes would have seen that go no further than planned: those of a snapshot go further. */
export function asPlanned(
  probes: CalloutProbes,
  callout: Callout,
  { level, replicasOnly = false }: Pick<ProbePlan, 'level' | 'replicasOnly'>,
): CalloutProbes {
  const { dryRun, invalid, discovery, serviceProxy, beyondReplicas = [], replicas, url, ...rest } = probes;
  const isWhole = level === probes.level;
  if (isWhole && !replicasOnly) return probes;
  const dialogueOf = isWhole || !isReviewed(callout) ? (dialogue: Dialogue) => dialogue : shaken;
  const asksMore = !replicasOnly && (isWhole || !isReviewed(callout));
  const beyondPlan = new Set(asksMore ? [] : beyondReplicas.map((unread) => JSON.stringify(unread)));
  return {
    ...rest,
    level,
    replicas: replicas.map(({ proxy, ...replica }) => ({
      ...replica,
      dialogues: replica.dialogues.map(dialogueOf),
      ...(proxy === undefined || replicasOnly ? {} : { proxy }),
    })),
    ...(url === undefined ? {} : { url: dialogueOf(url) }),
    ...(discovery === undefined || replicasOnly ? {} : { discovery }),
    ...(serviceProxy === undefined || replicasOnly ? {} : { serviceProxy }),
    notTried: rest.notTried.filter((unread) => !beyondPlan.has(JSON.stringify(unread))),
  };
}
