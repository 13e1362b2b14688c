import { outboundErrorIn } from '../apiserver/sentences/outbound-error.ts';
import { lastingStatuses } from '../facts/container-crash.ts';
import type { Pod } from '../facts/objects.ts';
import { logLines } from '../facts/pod-logs.ts';
import type { Facts } from '../facts/snapshot.ts';

/** The last failed request to another server in the known logs of these Pods; undefined if there is none. */
export const failedRequest = (pods: readonly Pod[], facts: Pick<Facts, 'logs'>) =>
  pods
    .flatMap((pod) =>
      logLines(pod, lastingStatuses(pod), facts).flatMap((logged) => {
        const error = outboundErrorIn(logged.line);
        return error === undefined ? [] : [{ ...logged, error }];
      }),
    )
    .at(-1);
