import { outboundErrorIn } from '../apiserver/sentences/outbound-error.ts';
import { lastingStatuses } from '../facts/container-crash.ts';
import { keyOf, type Pod } from '../facts/objects.ts';
import type { Facts } from '../facts/snapshot.ts';

/** The last failed request to another server in the known logs of these Pods; undefined if there is none. */
export const failedRequest = (pods: readonly Pod[], { logs }: Pick<Facts, 'logs'>) =>
  pods
    .flatMap((pod) =>
      lastingStatuses(pod).flatMap(({ name: container }) =>
        (logs.getIfKnown(`${keyOf(pod.metadata)}/${container}`) ?? '').split('\n').flatMap((line) => {
          const error = outboundErrorIn(line);
          return error === undefined ? [] : [{ pod, container, line, error }];
        }),
      ),
    )
    .at(-1);
